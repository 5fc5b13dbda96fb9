"""Makes wheels of dcube (PEP 517): builds it with CMake, takes what a user of Python needs, packs it.

The build folder is build/wheel, where only the module is built anew for another interpreter. Settings:

    pip install . --config-settings cmake="-D DCUBE_MPI=OFF"   words for CMake
    pip install . --config-settings build-dir=build/release  takes a build that is there, for this interpreter

docs/decisions/wheel.md says why no other backend is used.
"""

import base64
import hashlib
import os
import pathlib
import re
import shlex
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What of the installed tree goes into the package; headers, the static library and pages do not.
WANTED = re.compile(
    r"bin/dcube|lib/(.*/)?dcube/[^/]*\.so|share/dcube/(platforms|scenarios|schema|scripts|validation)/.*"
)


def version():
    return re.search(r"project\(dcube VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def metadata():
    return f"""\
Metadata-Version: 2.1
Name: dcube
Version: {version()}
Summary: Simulator of multicomputers: which embedding of a parallel program to use, and why
Requires-Python: >=3.10
Requires-Dist: numpy
Provides-Extra: pictures
Requires-Dist: matplotlib; extra == "pictures"
Provides-Extra: tables
Requires-Dist: pandas; extra == "tables"
Description-Content-Type: text/markdown

{(ROOT / "README.md").read_text()}"""


def tag():
    """Such as cp312-cp312-linux_x86_64: this interpreter, its ABI (t: without a global lock), this system."""
    number = f"cp{sys.version_info.major}{sys.version_info.minor}"
    abi = number + ("t" if sysconfig.get_config_var("Py_GIL_DISABLED") else "")
    return f"{number}-{abi}-{re.sub('[-.]', '_', sysconfig.get_platform())}"


def cmake(*words):
    subprocess.run(["cmake", *map(str, words)], check=True, cwd=ROOT)


def installed(prefix, settings):
    """Builds dcube for this interpreter and installs it below `prefix`."""
    settings = settings or {}
    build = pathlib.Path(settings.get("build-dir", ROOT / "build" / "wheel"))
    if "build-dir" not in settings:
        cmake(
            "--preset", "package", "-B", build, "-U", "*Python*", "-U", "pybind11*",
            "-D", f"Python_EXECUTABLE={sys.executable}", *shlex.split(settings.get("cmake", "")),
        )  # fmt: skip
        cmake("--build", build)
    cmake("--install", build, "--prefix", prefix, "--strip")


def files_of(prefix):
    """(name in the wheel, file), sorted: the package, and in it the program, modules and data."""
    (module,) = prefix.rglob("dcube/_dcube.*.so")
    for file in sorted(path for path in prefix.rglob("*") if path.is_file()):
        name = file.relative_to(prefix).as_posix()
        if file.is_relative_to(module.parent):
            yield f"dcube/{file.relative_to(module.parent).as_posix()}", file
        elif WANTED.fullmatch(name):
            yield f"dcube/{name}", file


def described():
    """{name: text} of the files that tell an installer about the wheel."""
    return {
        "METADATA": metadata(),
        "WHEEL": f"Wheel-Version: 1.0\nGenerator: dcube\nRoot-Is-Purelib: false\nTag: {tag()}\n",
        "entry_points.txt": "[console_scripts]\ndcube = dcube.command:main\n",
        "LICENSE": (ROOT / "LICENSE").read_text(),
    }


class Wheel:
    """A wheel that is being written. Its times are fixed, so the same files give the same wheel."""

    def __init__(self, path):
        self.archive = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self.record = []

    def add(self, name, content, mode=0o644):
        info = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
        info.external_attr = (0o100000 | mode) << 16
        info.compress_type = zipfile.ZIP_DEFLATED
        self.archive.writestr(info, content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(content)}")

    def close(self, folder):
        name = f"{folder}/RECORD"
        self.add(name, "\n".join([*self.record, f"{name},,", ""]).encode())
        self.archive.close()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name = f"dcube-{version()}-{tag()}.whl"
    with tempfile.TemporaryDirectory() as prefix:
        installed(prefix, config_settings)
        wheel = Wheel(pathlib.Path(wheel_directory) / name)
        for inside, file in files_of(pathlib.Path(prefix)):
            wheel.add(inside, file.read_bytes(), 0o755 if os.access(file, os.X_OK) else 0o644)
        for inside, text in described().items():
            wheel.add(f"dcube-{version()}.dist-info/{inside}", text.encode())
        wheel.close(f"dcube-{version()}.dist-info")
    return name


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    folder = pathlib.Path(metadata_directory) / f"dcube-{version()}.dist-info"
    folder.mkdir()
    for name, text in described().items():
        (folder / name).write_text(text)
    return folder.name


def build_sdist(sdist_directory, config_settings=None):
    """The files that Git knows."""
    name = f"dcube-{version()}"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    with tarfile.open(pathlib.Path(sdist_directory) / f"{name}.tar.gz", "w:gz") as archive:
        for file in filter(None, listed.split("\0")):
            archive.add(ROOT / file, f"{name}/{file}")
        with tempfile.NamedTemporaryFile("w") as about:
            about.write(metadata())
            about.flush()
            archive.add(about.name, f"{name}/PKG-INFO")
    return f"{name}.tar.gz"
