"""Build of the compiled core, the protobuf code and the unpacked tables.

Everything declarative is in pyproject.toml; here is only what needs code: the package map
(core/tokalign is the package, server/ and client/ are mapped into it), the Cython modules, and
six generated things: protobuf stubs, stubs of the compiled modules, unpacked lexical tables, and
the headers of the feature templates, of the kinds of values and of the contract's field numbers.
"""

import hashlib
import json
import lzma
import os
import re
import runpy
import shutil
import sys
import sysconfig
import tempfile
from pathlib import Path

import Cython
from Cython.Build import cythonize
from Cython.Build.Dependencies import create_dependency_tree
from setuptools import Command, Extension, find_packages, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
os.chdir(ROOT)

# Compilers run side by side, Cython's and C's.
N_JOBS = os.cpu_count() or 1

# Cython's own helpers for memoryviews: compiled once here, not into each of the modules, where
# they took three quarters of the time and nine tenths of the size.
SHARED = "tokalign._cyutility"

PACKAGE_DIR = {"": "core", "tokalign.server": "server", "tokalign.client": "client"}
PACKAGES = [
    *find_packages("core"),
    "tokalign.data",
    *(f"tokalign.{root}" for root in ("server", "client")),
    *(f"tokalign.{root}.{each}" for root in ("server", "client") for each in find_packages(root)),
]


def headers():
    """Write the Cython headers whose sources changed: templates, kinds of values, field numbers."""
    sys.path.insert(0, str(ROOT / "core"))
    runpy.run_path("packaging/cython_source.py")["write"](Path("core/tokalign/features"))
    for name, text in (("codec/_numbers", numbers_pxd()), ("english/values/kinds", kinds_pxd())):
        header = Path("core/tokalign", name).with_suffix(".pxd")
        if not header.exists() or header.read_text() != text:
            header.write_text(text)


def numbers_pxd():
    """Return the numbers of all fields of align.proto, as constants like ALIGNMENT_SCORE."""
    from google.protobuf.descriptor_pb2 import FileDescriptorSet

    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder, "align.pb")
        protoc(f"--descriptor_set_out={written}", "protos/tokalign/v1/align.proto")
        (file,) = FileDescriptorSet.FromString(written.read_bytes()).file
    lines = ["# Written by setup.py from align.proto, which is what to change.\n"]
    for message in filter(lambda each: each.field, file.message_type):
        name = re.sub("(?<=[a-z])(?=[A-Z])", "_", message.name).upper()
        lines.append(f"\n# {message.name}\ncdef enum:\n")
        lines += [f"    {name}_{each.name.upper()} = {each.number}\n" for each in message.field]
    return "".join(lines)


def kinds_pxd():
    """Return the numbers of the enumerations of kinds.py, as constants like KIND_MONEY."""
    known = runpy.run_path("core/tokalign/english/values/kinds.py")
    lines = ["# Written by setup.py from kinds.py, which is what to change.\n"]
    for prefix, name in (("KIND", "Kind"), ("ROLE", "Role"), ("RELATION", "Strength")):
        lines.append("\ncdef enum:\n")
        lines += [
            f"    {prefix}_{key} = {int(each)}\n" for key, each in known[name].__members__.items()
        ]
    # An enum of C would have 32 bits only.
    parts = [(f"PART_{each.name}", each.bit_length() - 1) for each in known["Part"]]
    lines.append("\nfrom libc.stdint cimport uint64_t\n\ncdef extern from *:\n")
    lines += [f'    const uint64_t {name} "((uint64_t)1 << {bit})"\n' for name, bit in parts]
    return "".join(lines)


CHECKED = os.environ.get("TOKALIGN_CHECKED") == "1"
DIRECTIVES = {
    "language_level": "3",
    # Kernels check shapes once at their Python door, so inner loops need no checks.
    "boundscheck": CHECKED,
    "wraparound": False,
    "initializedcheck": CHECKED,
    "cdivision": not CHECKED,
    "show_performance_hints": False,
    # No module changes what it shares but under locks of its own, so none asks for Python's.
    "freethreading_compatible": True,
    # A fifth of the C, and an eighth of the compiler's time: nobody pickles a kernel's objects, and
    # each statement repeated the lines of Cython around it.
    "auto_pickle": False,
    "emit_code_comments": False,
    # Annotations are for the stubs (packaging/stubs.py); kernels declare C's types.
    "annotation_typing": False,
}


def extensions():
    """Return one extension for every .pyx below core/.

    With TOKALIGN_CHECKED=1 they check every array access, through memoryviews by Cython and
    through pointers by the compiler's sanitizers; see `make test-checked`.
    """
    sanitizers = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
    sources = sorted(Path("core").rglob("*.pyx"))
    return [
        Extension(
            ".".join(path.relative_to("core").with_suffix("").parts),
            [str(path)],
            include_dirs=["core/tokalign"],
            depends=["core/tokalign/_compiler.h", *map(str, sorted(path.parent.glob("*.h")))],
            extra_compile_args=["-O1", "-g", *sanitizers] if CHECKED else [],
            extra_link_args=sanitizers if CHECKED else [],
        )
        for path in [*sources, Path("core", *SHARED.split(".")).with_suffix(".c")]
    ]


# By the kind of compiler. Products and sums are not fused anywhere, so that all processors give the
# same numbers. Python's own flags ask for debugging information, which is larger than the code.
OPTIMIZED = {
    "unix": ["-O3", "-fno-math-errno", "-ffp-contract=off", "-g0"],
    "mingw32": ["-O3", "-fno-math-errno", "-ffp-contract=off", "-g0"],
    "msvc": ["/O2", "/fp:precise"],
}

# Digests of what the modules that lie in core/ were compiled from, for one Python each.
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")
COMPILED = Path("build", f"compiled{SUFFIX}.json")


def known_digests():
    """Return the digest of each module that is compiled in core/, by the module's name."""
    known = json.loads(COMPILED.read_text()) if COMPILED.exists() else {}
    return {name: digest for name, digest in known.items() if in_core(name).exists()}


def in_core(name):
    """Return where the compiled module lies in the source tree."""
    return Path("core", *name.split(".")).with_name(name.split(".")[-1] + SUFFIX)


def digest_of_sources(module):
    """Return a digest of all that decides what a module becomes, but for the compiler itself."""
    (source,) = module.sources
    found = hashlib.sha256(Path("setup.py").read_bytes())
    if source.endswith(".pyx"):
        read = create_dependency_tree().all_dependencies(source)
        own = sorted(path for path in map(os.path.relpath, read) if path.startswith("core"))
        for path in [*own, *module.depends]:
            found.update(path.encode() + Path(path).read_bytes())
    chosen = [os.environ.get(name) for name in ("CC", "CFLAGS", "CPPFLAGS", "LDFLAGS")]
    python = sysconfig.get_config_vars("CC", "CFLAGS")
    found.update(repr([Cython.__version__, chosen, python]).encode())
    return found.hexdigest()


class BuildExt(build_ext):
    """build_ext that compiles no module again whose copy in core/ is of the same sources.

    `pip install -e .` and `pip install .` build in folders of their own, which are always empty.
    """

    def initialize_options(self):
        super().initialize_options()
        self.parallel = N_JOBS  # which an option of setup() is not for editable installs

    def build_extensions(self):
        compiled = known_digests()
        for module in self.extensions:
            module.digest = digest_of_sources(module)
            module.is_compiled = not CHECKED and compiled.get(module.name) == module.digest
            if not module.extra_compile_args:
                module.extra_compile_args = OPTIMIZED[self.compiler.compiler_type]
        changed = [module for module in self.extensions if not module.is_compiled]
        cythonize(
            changed,
            compiler_directives=DIRECTIVES,
            force=CHECKED,
            nthreads=N_JOBS,
            shared_utility_qualified_name=SHARED,
        )
        for module in changed:
            module.sources = [str(Path(each).with_suffix(".c")) for each in module.sources]
        self.force = True  # digests know better than time stamps
        super().build_extensions()

    def build_extension(self, ext):
        if not ext.is_compiled:
            super().build_extension(ext)
            return
        own, target = in_core(ext.name), Path(self.get_ext_fullpath(ext.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        if not (target.exists() and target.samefile(own)):
            shutil.copy2(own, target)

    def copy_extensions_to_source(self):
        super().copy_extensions_to_source()
        COMPILED.parent.mkdir(exist_ok=True)
        digests = {each.name: each.digest for each in self.extensions}
        COMPILED.write_text(json.dumps(digests, indent=1, sort_keys=True) + "\n")


class Generate(Command):
    """Generate stubs, unpack tables and write headers into core/tokalign.

    The headers are written whenever this file runs, before Cython reads them (see headers).
    """

    description = __doc__
    user_options = []  # noqa: RUF012 (as setuptools declares it)

    def initialize_options(self):
        pass

    def finalize_options(self):
        pass

    def run(self):
        protos()
        tables()
        runpy.run_path("packaging/stubs.py")["write"](Path("core"))


def protos():
    """Write align_pb2*.py and the .proto itself into core/tokalign/v1 where that is newer.

    Other languages generate their code from an installed package: beside it lie google/rpc's.
    """
    for proto in sorted(Path("protos").rglob("*.proto")):
        copy = Path("core") / proto.relative_to("protos")
        if not copy.exists() or copy.stat().st_mtime < proto.stat().st_mtime:
            shutil.copy(proto, copy)
        stub = copy.with_name(proto.stem + "_pb2.py")
        if stub.exists() and stub.stat().st_mtime > proto.stat().st_mtime:
            continue
        protoc(*(f"--{kind}_out=core" for kind in ("python", "pyi", "grpc_python")), str(proto))


def protoc(*arguments):
    """Run the protobuf compiler that grpcio-tools holds; SystemExit if it fails."""
    from grpc_tools import protoc as compiler

    include = Path(compiler.__file__).parent / "_proto"
    if compiler.main(["protoc", "-Iprotos", f"-I{include}", *arguments]) != 0:
        raise SystemExit(f"protoc {' '.join(arguments)} failed")


def tables():
    """Unpack data/*.table.xz beside themselves."""
    for packed in sorted(Path("core/tokalign/data").glob("*.table.xz")):
        table = packed.with_suffix("")
        if not table.exists() or table.stat().st_mtime < packed.stat().st_mtime:
            unpack(packed, table)


# Four times the largest table that ships; a megabyte of xz can hold seven thousand.
MAX_TABLE_BYTES = 64 << 20


def unpack(packed, table):
    """Decompress a table piece by piece; SystemExit if it is damaged or larger than any table."""
    unfinished = table.with_suffix(".part")
    n_bytes = 0
    try:
        with lzma.open(packed) as source, unfinished.open("wb") as target:
            while piece := source.read(1 << 20):
                n_bytes += len(piece)
                if n_bytes > MAX_TABLE_BYTES:
                    raise SystemExit(f"{packed}: unpacks to more than {MAX_TABLE_BYTES} bytes")
                target.write(piece)
        unfinished.replace(table)
    except (EOFError, lzma.LZMAError) as error:
        raise SystemExit(f"{packed}: cannot be unpacked: {error}") from error
    finally:
        unfinished.unlink(missing_ok=True)


class BuildPy(build_py):
    """build_py that generates first, so that wheels and editable installs are complete."""

    def run(self):
        self.run_command("generate")
        super().run()


if __name__ == "__main__":  # Cython's own processes import this file as well
    headers()
    setup(
        package_dir=PACKAGE_DIR,
        packages=PACKAGES,
        ext_modules=extensions(),
        cmdclass={"build_ext": BuildExt, "build_py": BuildPy, "generate": Generate},
    )
