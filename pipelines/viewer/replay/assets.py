"""The JavaScript and the style sheets of the replay, joined into one script and one style sheet for each host.

The scripts are ES modules. A host gets the modules that it imports, directly or through others. Each module becomes a function
that is called once and returns its exports, so that names in different files cannot collide. Comments that have lines of their own
and indentation are left out: each page and each file that is given away holds a script.

`replay_page` writes a game as a self-contained HTML page: it needs no server, no network and no other file.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from engine.scene import Scene

_IMPORT: Final = re.compile(r'import \{ (\w+(?:, \w+)*) \} from "\./(\w+)\.js";')
_EXPORT: Final = re.compile(r"export ((?:async )?(?:function|const|class) (\w+)\b.*)")
_IMPORT_OR_EXPORT: Final = re.compile(r"(?:^|[;{}])\s*(?:import|export)\b|\bimport\s*[(.]")
_COMMENT_LINES: Final = re.compile(
    r"^[ \t]*(?:/\*(?:(?!\*/).)*\*/|//[^\n]*)[ \t]*\n", flags=re.MULTILINE | re.DOTALL
)
STYLE_LAYERS: Final = "@layer base, sheet, components, states;\n"
"""The order of the layers of all style sheets of this project: a later one beats an earlier one, whatever their selectors are.

`base` holds the theme, what elements look like, and buttons; `sheet` the sheets and charts of `pipelines.report`; `components` the
parts of a board or page; and `states` what a component looks like while something lasts, such as a question.
"""
_STYLES: Final = {
    "theme": "draw",
    "seats": "seats",
    "boards": "boards",
    "frame": "frame",
    "panels": "plies",
    "review": "review",
    "whatif": "choose",
    "pair": "pair",
}
"""The style sheets in the order of a page, each with the module whose hosts need it."""


class _Module(NamedTuple):
    text: str
    imports: dict[str, tuple[int, list[str]]]
    """The line and the names of each import, by module."""
    exports: list[str]


@cache
def replay_script(host: str, sheet_style: str = "") -> str:
    """Return the whole script of a host. That of a notebook contains its style sheet, with that of the sheets that the board shows.

    The hosts are `streamlit` (a module for a Streamlit page), `page` (a page of its own), `embed` (what loads such a page in a frame), `document` (a longer page with
    any number of replays), `notebook` (a module for a widget), `printed` (a module that
    draws the printed material of a game), `play` (a module on whose board people choose moves) and `board` (a module that draws one board of a position).
    """
    script = join_modules(files(__package__), host)
    if host == "notebook":
        return f"const REPLAY_STYLE = {json.dumps(replay_style(host, sheet_style))};\n{script}"
    return script


@cache
def replay_style(host: str, sheet_style: str = "") -> str:
    """Return the whole style sheet of a host of `replay_script`: a host may have one of its own, which comes last.

    `sheet_style` is that of the sheets which the board shows.
    """
    folder = files(__package__)
    modules = _follow_imports(folder, host, {}, ())
    sheets = [folder / f"{name}.css" for name in (*(s for s, m in _STYLES.items() if m in modules), host)]
    style = shorten_asset("\n".join(_read_asset(sheet) for sheet in sheets if sheet.is_file()))
    return STYLE_LAYERS + layer_sheet_style(sheet_style) + style


def layer_sheet_style(sheet_style: str) -> str:
    """Return the style sheet of sheets in the layer that they have beside boards and in studies."""
    return f"@layer sheet {{\n{sheet_style}}}\n" if sheet_style else ""


def join_modules(folder: Traversable, host: str) -> str:
    """Return the script of a host: its own text after the modules that it imports. Each module stands once.

    Raises ValueError for a circle, an import of a missing name, a text in backticks over several lines, and every form of
    `import` and `export` other than `import { a, b } from "./c.js";`, `export const`, `export function`, `export class`, and
    `export default` in the host.
    """
    *imported, (_, host_module) = _follow_imports(folder, host, {}, ()).items()
    scripts = [
        f"const ${name} = (() => {{\n{module.text}return {{ {', '.join(module.exports)} }};\n}})();\n"
        for name, module in imported
    ]
    return "".join((*scripts, host_module.text))


def _follow_imports(
    folder: Traversable, name: str, known: dict[str, _Module], importers: tuple[str, ...]
) -> dict[str, _Module]:
    """Add a module to the known ones, after those that it imports."""
    if name in importers:
        circle = (*importers[importers.index(name) :], name)
        raise ValueError(f"these modules import each other: {' -> '.join(circle)}")
    if name not in known:
        module = _read_module(folder, name, is_host=not importers)
        for imported, (line, names) in module.imports.items():
            if not (folder / f"{imported}.js").is_file():
                raise ValueError(f"{name}.js, line {line}: there is no {imported}.js")
            _follow_imports(folder, imported, known, (*importers, name))
            if missing := [name for name in names if name not in known[imported].exports]:
                raise ValueError(
                    f"{name}.js, line {line}: {imported}.js does not export {', '.join(missing)}"
                )
        known[name] = module
    return known


def _read_module(folder: Traversable, name: str, *, is_host: bool) -> _Module:
    module = _Module("", {}, [])
    lines = []
    for number, line in enumerate(_read_asset(folder / f"{name}.js").splitlines(), 1):
        if match := _IMPORT.fullmatch(line):
            module.imports[match[2]] = number, match[1].split(", ")
            lines.append(f"const {{ {match[1]} }} = ${match[2]};\n")
        elif match := _EXPORT.fullmatch(line):
            module.exports.append(match[2])
            lines.append(f"{match[1]}\n")
        elif line.count("`") % 2 or (
            _IMPORT_OR_EXPORT.search(line) and not (is_host and line.startswith("export default "))
        ):
            raise ValueError(f"{name}.js, line {number}: this form is not supported: {line.strip()}")
        else:
            lines.append(f"{line}\n")
    return module._replace(text=shorten_asset("".join(lines)))


def shorten_asset(text: str) -> str:
    r"""Return a script or a style sheet without indentation, empty lines and comments on lines of their own.

    >>> shorten_asset("/* Adds.\n */\n\nfunction add(a, b) {\n  // quick\n  return a + b; // a number\n}\n")
    'function add(a, b) {\nreturn a + b; // a number\n}\n'
    """
    return re.sub(r"^\s+", "", _COMMENT_LINES.sub("", text), flags=re.MULTILINE)


def _read_asset(file: Traversable) -> str:
    # A checkout may have changed the line ends; they are normalized, because pages contain hashes of these texts.
    return file.read_bytes().decode("utf-8").replace("\r\n", "\n")


def replay_page(
    scene: Scene, title: str, review: dict[str, Any] | None = None, *, ply: int | None = None
) -> str:
    """Return the page of a game, opened at a ply, with its review as JSON data if there is one.

    Every text of the scene, the title and the review is shown as text: none of it can become markup or script. The page's
    Content-Security-Policy allows exactly the script and the style sheet that stand in it. Raises ValueError for a number
    that JSON does not have, such as NaN.
    """
    style = replay_style("page")
    script = f'"use strict";\n(() => {{\n{replay_script("page")}\n}})();'
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src {csp_source(script)}",
            f"style-src {csp_source(style)}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    return _page_template().render(
        policy=policy, title=title, style=style, script=script, scene=scene, review=review, ply=ply
    )


@cache
def _page_template() -> Template:
    environment = Environment(
        loader=PackageLoader("pipelines.viewer", "replay"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    environment.policies["json.dumps_kwargs"] = {"allow_nan": False, "separators": (",", ":")}
    return environment.get_template("page.html")


def csp_source(text: str) -> str:
    """Return the source expression of a Content-Security-Policy that allows exactly this text."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
