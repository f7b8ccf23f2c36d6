"""Writes a file over NFS by libnfs, slowly, and its end when another file is there: nfs-put.py URL LOCAL PAUSE FILE [MOST].

No write has more than MOST bytes: of NFSv4, libnfs 4.0 cannot encode one of more than a few thousand.

A fault ends it with what the library says.
"""
import ctypes
import os
import sys
import time

CHUNK = 256 << 10
url, local, pause, awaited = sys.argv[1], sys.argv[2], float(sys.argv[3]), sys.argv[4]
most = int(sys.argv[5]) if len(sys.argv) > 5 else CHUNK
size = os.path.getsize(local)
nfs = ctypes.CDLL("libnfs.so.13")
pointer, text = ctypes.c_void_p, ctypes.c_char_p


class Url(ctypes.Structure):
    _fields_ = [("server", text), ("path", text), ("file", text)]


for name, result, arguments in [
    ("nfs_init_context", pointer, []),
    ("nfs_get_error", text, [pointer]),
    ("nfs_parse_url_full", ctypes.POINTER(Url), [pointer, text]),
    ("nfs_mount", ctypes.c_int, [pointer, text, text]),
    ("nfs_create", ctypes.c_int, [pointer, text, ctypes.c_int, ctypes.c_int, ctypes.POINTER(pointer)]),
    ("nfs_write", ctypes.c_int, [pointer, pointer, ctypes.c_uint64, text]),
    ("nfs_close", ctypes.c_int, [pointer, pointer]),
]:
    function = getattr(nfs, name)
    function.restype, function.argtypes = result, arguments

context = nfs.nfs_init_context()
where = nfs.nfs_parse_url_full(context, url.encode()).contents
handle = pointer()


def check(what, status):
    if status < 0:
        sys.exit("%s: %s" % (what, nfs.nfs_get_error(context).decode()))
    return status


check("mount", nfs.nfs_mount(context, where.server, where.path))
check("create", nfs.nfs_create(context, where.file, os.O_RDWR | os.O_TRUNC, 0o664, ctypes.byref(handle)))
with open(local, "rb") as source:
    while chunk := source.read(CHUNK):
        while source.tell() == size and not os.path.exists(awaited):
            time.sleep(0.1)
        while chunk:
            chunk = chunk[check("write", nfs.nfs_write(context, handle, min(len(chunk), most), chunk)) :]
        time.sleep(pause)
check("close", nfs.nfs_close(context, handle))
