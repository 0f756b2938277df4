"""Load libghostty with its C declarations, without parsing them at every start.

`import pyghostty` parses a header of 80 kB with cffi, 0.1 to 0.9 s. cffi can write what it parsed as Python
source, which loads in 10 ms; that source is made at the first start and kept in the user's cache folder.
A cache is code that will be executed, so one that someone else could have written is not used.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.util
import io
import os
import stat
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from agentsup.terminal.engine import EngineUnavailable

# cffi can't pass a union by value. A struct of the same layout travels the same way in the calling
# conventions of x86-64 (in memory) and arm64 (by reference), so calls are made through this twin.
TWINS = """
typedef struct { uint16_t x; uint32_t y; uint64_t _padding; } GhosttyPointValueTwin;
typedef struct { GhosttyPointTag tag; GhosttyPointValueTwin value; } GhosttyPointTwin;
typedef struct { GhosttyTerminalScrollViewportTag tag; size_t row; uint64_t _padding; } GhosttyScrollViewportTwin;
"""

_LIBRARY_NAMES = ("libghostty-vt.so", "libghostty-vt.dylib")
_MODULE = "_ghostty_declarations"


class Binding(NamedTuple):
    """cffi's view of the library: the types (`ffi`) and the functions (`lib`)."""

    ffi: Any
    lib: Any

    def sized(self, ctype: str) -> Any:
        """Allocate a struct and fill the `size` field that the library reads its version from."""
        pointer = self.ffi.new(f"{ctype} *")
        _fill_sizes(self.ffi, pointer)
        return pointer

    def twin_function(self, name: str, signature: str) -> Any:
        """Return a function that takes a union by value, with `signature` in terms of the union's twin."""
        return self.ffi.cast(signature, self.ffi.addressof(self.lib, name))


def _fill_sizes(ffi: Any, pointer: Any) -> None:
    struct = ffi.typeof(pointer).item
    for name, member in struct.fields:
        if name == "size":
            pointer.size = ffi.sizeof(struct)
        elif member.type.kind == "struct":
            _fill_sizes(ffi, ffi.addressof(pointer[0], name))


@functools.cache
def load() -> Binding:
    """Return the binding, the same one every time; raises EngineUnavailable."""
    package = package_folder()
    ffi = load_types(package, cache_folder())
    library = next((file for name in _LIBRARY_NAMES if (file := package / "_lib" / name).is_file()), None)
    if library is None:
        raise EngineUnavailable(f"pyghostty at {package} has no library for this platform")
    try:
        return Binding(ffi, ffi.dlopen(str(library)))
    except OSError as error:
        raise EngineUnavailable(f"the terminal library can't be loaded: {error}") from error


def package_folder() -> Path:
    """Return where pyghostty is installed, without importing it: its import is what takes so long."""
    spec = importlib.util.find_spec("pyghostty")
    if spec is None or not spec.submodule_search_locations:
        raise EngineUnavailable("pyghostty is not installed")
    return Path(spec.submodule_search_locations[0])


def cache_folder() -> Path:
    """Return agentsup's cache folder, by the XDG rules: a relative XDG_CACHE_HOME counts as unset."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    return Path(base if os.path.isabs(base) else os.path.expanduser("~/.cache")) / "agentsup"


def load_types(package: Path, folder: Path) -> Any:
    """Return cffi's types for the declarations of `package`, from the cache in `folder` or freshly parsed."""
    try:
        inputs = [(package / name).read_bytes() for name in ("__init__.py", "_cdef.py")]
    except OSError as error:
        raise EngineUnavailable(f"pyghostty is incomplete: {error}") from error
    cached = folder / cache_name(inputs)
    source = _read_cache(cached)
    if source is None:
        source = _generate(package / "_cdef.py")
        # A cache that can't be kept costs time at the next start and nothing else.
        with contextlib.suppress(OSError):
            _write_cache(cached, source)
    module = ModuleType(_MODULE)
    exec(compile(source, str(cached), "exec"), module.__dict__)
    return module.ffi


def cache_name(inputs: list[bytes]) -> str:
    """Name the cache file by all it depends on: pyghostty's version and declarations, cffi's, our twins."""
    # cffi itself would take longer to import than all the rest; it insists on being of its backend's version.
    cffi_version: str = importlib.import_module("_cffi_backend").__version__
    digest = hashlib.sha256(TWINS.encode())
    for text in inputs:
        digest.update(hashlib.sha256(text).digest())
    return f"ghostty-cffi{cffi_version}-{digest.hexdigest()[:16]}.py"


def _generate(declarations: Path) -> bytes:
    import cffi

    spec = importlib.util.spec_from_file_location("_ghostty_header", declarations)
    if spec is None or spec.loader is None:
        raise EngineUnavailable(f"{declarations} is not Python")
    header = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(header)
    builder = cffi.FFI()
    builder.cdef(header.CDEF + TWINS)
    builder.set_source(_MODULE, None, compiler_verbose=0)
    text = io.StringIO()
    builder.emit_python_code(text)
    return text.getvalue().encode()


def _seal(source: bytes) -> bytes:
    return b"# sha256 " + hashlib.sha256(source).hexdigest().encode() + b"\n"


def _read_cache(file: Path) -> bytes | None:
    """Return the source in `file`, or None when there is none, it is damaged or not surely our own."""
    try:
        if not _is_ours(os.stat(file.parent)):
            return None
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
        with open(descriptor, "rb") as opened:
            status = os.fstat(descriptor)
            if not (stat.S_ISREG(status.st_mode) and _is_ours(status)):
                return None
            seal, source = opened.readline(), opened.read()
    except OSError:
        return None
    return source if seal == _seal(source) else None


def _is_ours(status: os.stat_result) -> bool:
    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _write_cache(file: Path, source: bytes) -> None:
    import tempfile  # takes 5 ms, and is needed once

    # No fsync: the seal shows a torn file, and one that is lost is made again.
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not _is_ours(os.stat(file.parent)):
        return
    descriptor, temporary = tempfile.mkstemp(dir=file.parent, prefix=".ghostty-")  # mkstemp makes it 0600
    try:
        with open(descriptor, "wb") as opened:
            opened.write(_seal(source) + source)
        os.rename(temporary, file)
    except OSError:
        os.unlink(temporary)
        raise
