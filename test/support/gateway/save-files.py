"""Acts on files of a share as programs do, in one session: save-files.py smb|nfs ADDRESS SHARE STEPS [BYTES_PER_SECOND].

STEPS is a file of JSON: a list of ["write", FILE, PATH, SEED, BYTES, IS_FLUSHED], ["rename", FILE, FROM, TO], ["remove", FILE, PATH] and
["wait", SECONDS]. FILE numbers what belongs together: after a fault, the other steps of that file are left out. A write's content
follows from its seed. Prints a line of JSON a step: when it ended, its MD5, how long its slowest call took, its fault.
"""
import ctypes
import hashlib
import json
import os
import random
import sys
import time

PIECE = 256 << 10
protocol, address, share, steps_file = sys.argv[1:5]
pace = float(sys.argv[5]) if len(sys.argv) > 5 else None
integer, pointer, text, size = ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t


class Fault(Exception):
    pass


def declare(library, functions):
    for name, result, arguments in functions:
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments


class Nfs:
    def __init__(self):
        self.nfs = ctypes.CDLL("libnfs.so.13")
        wide = ctypes.c_uint64
        declare(self.nfs, [
            ("nfs_init_context", pointer, []),
            ("nfs_get_error", text, [pointer]),
            ("nfs_set_uid", None, [pointer, integer]),
            ("nfs_set_gid", None, [pointer, integer]),
            ("nfs_mount", integer, [pointer, text, text]),
            ("nfs_open", integer, [pointer, text, integer, ctypes.POINTER(pointer)]),
            ("nfs_create", integer, [pointer, text, integer, integer, ctypes.POINTER(pointer)]),
            ("nfs_write", integer, [pointer, pointer, wide, text]),
            ("nfs_fsync", integer, [pointer, pointer]),
            ("nfs_close", integer, [pointer, pointer]),
            ("nfs_rename", integer, [pointer, text, text]),
            ("nfs_unlink", integer, [pointer, text]),
        ])
        self.context = self.nfs.nfs_init_context()
        self.nfs.nfs_set_uid(self.context, 0)
        self.nfs.nfs_set_gid(self.context, 0)
        self.call("nfs_mount", address.encode(), ("/" + share).encode())

    def reconnect(self):
        """The library does that by itself."""

    def call(self, name, *arguments):
        status = getattr(self.nfs, name)(self.context, *arguments)
        if status < 0:
            raise Fault("%s: %s" % (name, self.nfs.nfs_get_error(self.context).decode()))
        return status

    def open(self, path):
        handle = pointer()
        self.call("nfs_create", ("/" + path).encode(), os.O_RDWR | os.O_TRUNC, 0o664, ctypes.byref(handle))
        return handle

    def write(self, handle, data):
        return self.call("nfs_write", handle, len(data), data)

    def flush(self, handle):
        self.call("nfs_fsync", handle)

    def close(self, handle):
        self.call("nfs_close", handle)

    def rename(self, old, new):
        self.call("nfs_rename", ("/" + old).encode(), ("/" + new).encode())

    def remove(self, path):
        self.call("nfs_unlink", ("/" + path).encode())


class Smb:
    """libsmbclient renames over a file by removing that first, and has no flush."""

    def __init__(self):
        self.smb = ctypes.CDLL("libsmbclient.so.0", use_errno=True)
        login = ctypes.CFUNCTYPE(None, text, text, pointer, integer, pointer, integer, pointer, integer)
        self.login = login(lambda *arguments: None)
        declare(self.smb, [
            ("smbc_new_context", pointer, []),
            ("smbc_setFunctionAuthData", None, [pointer, login]),
            ("smbc_init_context", pointer, [pointer]),
            ("smbc_set_context", pointer, [pointer]),
            ("smbc_setTimeout", None, [pointer, integer]),
            ("smbc_open", integer, [text, integer, integer]),
            ("smbc_write", ctypes.c_ssize_t, [integer, text, size]),
            ("smbc_close", integer, [integer]),
            ("smbc_rename", integer, [text, text]),
            ("smbc_unlink", integer, [text]),
        ])
        self.reconnect()

    def reconnect(self):
        context = self.smb.smbc_new_context()
        self.smb.smbc_setFunctionAuthData(context, self.login)
        self.smb.smbc_setTimeout(context, 300_000)
        if not self.smb.smbc_init_context(context):
            raise Fault("smbc_init_context: %s" % os.strerror(ctypes.get_errno()))
        self.smb.smbc_set_context(context)

    def call(self, name, *arguments):
        status = getattr(self.smb, name)(*arguments)
        if status < 0:
            raise Fault("%s: %s" % (name, os.strerror(ctypes.get_errno())))
        return status

    @staticmethod
    def url(path):
        return ("smb://%s/%s/%s" % (address, share, path)).encode()

    def open(self, path):
        return self.call("smbc_open", self.url(path), os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o664)

    def write(self, handle, data):
        return self.call("smbc_write", handle, data, len(data))

    def flush(self, handle):
        pass

    def close(self, handle):
        self.call("smbc_close", handle)

    def rename(self, old, new):
        self.call("smbc_rename", self.url(old), self.url(new))

    def remove(self, path):
        self.call("smbc_unlink", self.url(path))


client = Nfs() if protocol == "nfs" else Smb()
began = time.monotonic()
paced = 0


def keep_pace(count):
    global paced
    paced += count
    if pace is not None:
        time.sleep(max(0.0, began + paced / pace - time.monotonic()))


slowest = 0.0


def timed(function, *arguments):
    global slowest
    start = time.monotonic()
    try:
        return function(*arguments)
    finally:
        slowest = max(slowest, time.monotonic() - start)


def write(path, seed, count, is_flushed):
    content = random.Random(seed).randbytes(count)
    handle = timed(client.open, path)
    try:
        at = 0
        while at < count:
            done = timed(client.write, handle, content[at : at + PIECE])
            at += done
            keep_pace(done)
        if is_flushed:
            timed(client.flush, handle)
    finally:
        # What could not be written is closed all the same.
        timed(client.close, handle)
    return hashlib.md5(content).hexdigest()


failed = set()
with open(steps_file) as source:
    steps = json.load(source)
for kind, file, *arguments in steps:
    if kind == "wait":
        time.sleep(file)
        continue
    if file in failed:
        continue
    slowest, fault, md5 = 0.0, None, None
    try:
        if kind == "write":
            md5 = write(*arguments)
        else:
            timed(getattr(client, kind), *arguments)
    except Fault as error:
        fault = str(error)
        failed.add(file)
        client.reconnect()
        if kind == "write":
            # As file managers do with what they could not copy to its end.
            try:
                client.remove(arguments[0])
            except Fault:
                pass
    step = {"kind": kind, "file": file, "path": arguments[0], "at": time.time() * 1000, "md5": md5}
    print(json.dumps({**step, "slowestMs": round(slowest * 1000), "fault": fault}), flush=True)
