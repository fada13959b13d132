"""The tables of the tagger and the parser, trained on a treebank.

The kernels of training are no part of the package: they are compiled here when first imported.
"""

from __future__ import annotations

import fcntl
import sysconfig
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

import tokalign


def _compile(source: Path) -> None:
    """Compile a module in its place, where it or what it takes from the package has changed."""
    package = Path(tokalign.__path__[0])
    kernels = package / "english" / "annotate"
    built = source.with_suffix(sysconfig.get_config_var("EXT_SUFFIX"))
    read = [source, *kernels.glob("*.pxd"), *kernels.glob("*.h")]
    with source.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # tests of several processes import it
        if built.exists() and built.stat().st_mtime > max(each.stat().st_mtime for each in read):
            return
        setuptools = import_module("setuptools")
        extension = setuptools.Extension(
            f"{__name__}.{source.stem}", [str(source)], include_dirs=[str(kernels), str(package)]
        )
        modules = import_module("Cython.Build").cythonize(
            extension, force=True, quiet=True, language_level=3, include_path=[str(package.parent)]
        )
        command = setuptools.Distribution({"ext_modules": modules}).get_command_obj("build_ext")
        with TemporaryDirectory() as folder:
            command.build_lib, command.build_temp = str(source.parents[3]), folder
            command.ensure_finalized()
            command.run()


_compile(Path(__file__).with_name("training.pyx"))
