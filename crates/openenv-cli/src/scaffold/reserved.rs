//! Words that mean something else already, to Python, to Rust or to the project itself.

/// What a word belongs to, if it is not free.
pub(super) fn owner(word: &str) -> Option<&'static str> {
    WORDS
        .iter()
        .find(|(_, words)| words.contains(&word))
        .map(|(owner, _)| *owner)
}

/// In lower case only: no other name is asked for.
const WORDS: [(&str, &[&str]); 7] = [
    ("a keyword of Python", PYTHON_KEYWORDS),
    ("a keyword of Rust", RUST_KEYWORDS),
    ("a module of Python itself", PYTHON_MODULES),
    (
        "a crate of Rust itself",
        &["alloc", "core", "proc_macro", "std"],
    ),
    (
        "a directory of Cargo's",
        &["build", "deps", "examples", "incremental", "target"],
    ),
    ("a package that the project needs", NEEDED),
    (
        "a part of every project",
        &[
            "client",
            "environment",
            "models",
            "server",
            "tests",
            "validation",
        ],
    ),
];

const PYTHON_KEYWORDS: &[&str] = &[
    "and", "as", "assert", "async", "await", "break", "case", "class", "continue", "def", "del",
    "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is",
    "lambda", "match", "nonlocal", "not", "or", "pass", "raise", "return", "try", "type", "while",
    "with", "yield",
];

/// Those of every edition, and those that are kept for later ones.
const RUST_KEYWORDS: &[&str] = &[
    "abstract", "become", "box", "const", "crate", "do", "dyn", "enum", "extern", "false", "final",
    "fn", "gen", "impl", "let", "loop", "macro", "mod", "move", "mut", "override", "priv", "pub",
    "ref", "self", "static", "struct", "super", "trait", "true", "typeof", "unsafe", "unsized",
    "use", "virtual", "where",
];

const NEEDED: &[&str] = &[
    "fastapi",
    "fastmcp",
    "fastrand",
    "openenv",
    "openenv_core",
    "openenv_serve",
    "pip",
    "pydantic",
    "pytest",
    "schemars",
    "serde",
    "serde_json",
    "setuptools",
    "tokio",
    "uvicorn",
];

/// The standard library of Python 3.10 to 3.14: a package of the same name hides the module.
const PYTHON_MODULES: &[&str] = &[
    "abc", "aifc", "annotationlib", "antigravity", "argparse", "array", "ast", "asynchat",
    "asyncio", "asyncore", "atexit", "audioop", "base64", "bdb", "binascii", "binhex", "bisect",
    "builtins", "bz2", "calendar", "cgi", "cgitb", "chunk", "cmath", "cmd", "code", "codecs",
    "codeop", "collections", "colorsys", "compileall", "compression", "concurrent", "configparser",
    "contextlib", "contextvars", "copy", "copyreg", "crypt", "csv", "ctypes", "curses",
    "dataclasses", "datetime", "dbm", "decimal", "difflib", "dis", "distutils", "doctest", "email",
    "encodings", "ensurepip", "enum", "errno", "faulthandler", "fcntl", "filecmp", "fileinput",
    "fnmatch", "fractions", "ftplib", "functools", "gc", "genericpath", "getopt", "getpass",
    "gettext", "glob", "graphlib", "grp", "gzip", "hashlib", "heapq", "hmac", "html", "http",
    "idlelib", "imaplib", "imghdr", "imp", "importlib", "inspect", "io", "ipaddress", "itertools",
    "json", "keyword", "lib2to3", "linecache", "locale", "logging", "lzma", "mailbox", "mailcap",
    "marshal", "math", "mimetypes", "mmap", "modulefinder", "msilib", "msvcrt", "multiprocessing",
    "netrc", "nis", "nntplib", "nt", "ntpath", "nturl2path", "numbers", "opcode", "operator",
    "optparse", "os", "ossaudiodev", "pathlib", "pdb", "pickle", "pickletools", "pipes", "pkgutil",
    "platform", "plistlib", "poplib", "posix", "posixpath", "pprint", "profile", "pstats", "pty",
    "pwd", "py_compile", "pyclbr", "pydoc", "pydoc_data", "pyexpat", "queue", "quopri", "random",
    "re", "readline", "reprlib", "resource", "rlcompleter", "runpy", "sched", "secrets", "select",
    "selectors", "shelve", "shlex", "shutil", "signal", "site", "smtpd", "smtplib", "sndhdr",
    "socket", "socketserver", "spwd", "sqlite3", "sre_compile", "sre_constants", "sre_parse",
    "ssl", "stat", "statistics", "string", "stringprep", "struct", "subprocess", "sunau",
    "symtable", "sys", "sysconfig", "syslog", "tabnanny", "tarfile", "telnetlib", "tempfile",
    "termios", "test", "textwrap", "this", "threading", "time", "timeit", "tkinter", "token",
    "tokenize", "tomllib", "trace", "traceback", "tracemalloc", "tty", "turtle", "turtledemo",
    "types", "typing", "unicodedata", "unittest", "urllib", "uu", "uuid", "venv", "warnings",
    "wave", "weakref", "webbrowser", "winreg", "winsound", "wsgiref", "xdrlib", "xml", "xmlrpc",
    "zipapp", "zipfile", "zipimport", "zlib", "zoneinfo",
];
