"""Compiled code that is no part of the package: doors to its kernels, for recipes and tests.

Such modules are compiled where they lie, when they are first imported.
"""

from __future__ import annotations

import fcntl
import sysconfig
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

import tokalign


def compile_module(source: Path) -> None:
    """Compile a module in its place, where it or what it takes from the package has changed."""
    package = Path(tokalign.__path__[0])
    annotate = package / "english" / "annotate"
    lab = Path(__file__).parents[1]
    built = source.with_suffix(sysconfig.get_config_var("EXT_SUFFIX"))
    read = [source, *package.rglob("*.pxd"), *package.rglob("*.h")]
    with source.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # tests of several processes import it
        if built.exists() and built.stat().st_mtime > max(each.stat().st_mtime for each in read):
            return
        setuptools = import_module("setuptools")
        name = ".".join(source.relative_to(lab.parent).with_suffix("").parts)
        extension = setuptools.Extension(
            name, [str(source)], include_dirs=[str(annotate), str(package)]
        )
        modules = import_module("Cython.Build").cythonize(
            extension, force=True, quiet=True, language_level=3, include_path=[str(package.parent)]
        )
        command = setuptools.Distribution({"ext_modules": modules}).get_command_obj("build_ext")
        with TemporaryDirectory() as folder:
            command.build_lib, command.build_temp = str(lab.parent), folder
            command.ensure_finalized()
            command.run()


for name in ("doors.pyx", "edit_doors.pyx"):
    compile_module(Path(__file__).with_name(name))
