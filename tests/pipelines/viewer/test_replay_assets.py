"""The script and the style sheet of each host of the replay."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path
from typing import Final

import pytest

from pipelines.viewer.replay import assets

HOSTS: Final = {
    "streamlit": "mount",
    "printed": "createMount",
    "play": "createMount",
    "board": "createMount",
    "notebook": "{ render }",
    "page": "",
    "document": "",
    "embed": "",
}
"""The hosts, and what their scripts export by default."""
REPLAY_FOLDER: Final = Path(assets.__file__).parent


def modules_of(script: str) -> list[str]:
    return re.findall(r"^const \$(\w+) = \(\(\) => \{$", script, flags=re.MULTILINE)


def write_modules(folder: Path, **texts: str) -> Path:
    for name, text in texts.items():
        (folder / f"{name}.js").write_text(text, encoding="utf-8")
    return folder


def test_a_script_has_each_module_once_and_after_those_that_it_imports(tmp_path: Path) -> None:
    folder = write_modules(
        tmp_path,
        host='import { a } from "./a.js";\nimport { b } from "./b.js";\n\nexport default { a, b };\n',
        a='import { b, c } from "./b.js";\n\nexport const a = b + c;\n',
        b="const a = 1;\n\nexport const b = a;\nexport async function c() {}\n",
        unused="export const d = 0;\n",
    )
    assert assets.join_modules(folder, "host") == (
        "const $b = (() => {\nconst a = 1;\nconst b = a;\nasync function c() {}\nreturn { b, c };\n})();\n"
        "const $a = (() => {\nconst { b, c } = $b;\nconst a = b + c;\nreturn { a };\n})();\n"
        "const { a } = $a;\nconst { b } = $b;\nexport default { a, b };\n"
    )


def test_a_script_has_no_comments_on_lines_of_their_own_and_no_indentation(tmp_path: Path) -> None:
    text = '/*\n * About it.\n */\n\nexport default {\n  // the address\n  a: "// b", // of c\n};\n'
    folder = write_modules(tmp_path, host=text)
    assert assets.join_modules(folder, "host") == 'export default {\na: "// b", // of c\n};\n'


def test_windows_line_ends_do_not_change_a_script(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_bytes(b"export class A {}\r\n")
    (tmp_path / "host.js").write_bytes(b'import { A } from "./a.js";\r\nnew A();\r\n')
    assert "\r" not in assets.join_modules(tmp_path, "host")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "// one\nimport a from './a.js';",
            "host.js, line 2: this form is not supported: import a from './a.js';",
        ),
        ('import * as a from "./a.js";', "line 1: this form"),
        ('import { a as b } from "./a.js";', "line 1: this form"),
        ('import "./a.js";', "line 1: this form"),
        ('import { a } from "a";', "line 1: this form"),
        ('import { a } from "../a.js";', "line 1: this form"),
        ('import {\n  a,\n} from "./a.js";', "line 1: this form"),
        ('const a = await import("./a.js");', "line 1: this form"),
        ("const here = import.meta.url;", "line 1: this form"),
        ('export { a } from "./a.js";', "line 1: this form"),
        ('export * from "./a.js";', "line 1: this form"),
        ("export { a as b };", "line 1: this form"),
        ("export let a = 1;", "line 1: this form"),
        ("export const { a } = b;", "line 1: this form"),
        ("const a = 1; export const b = 2;", "line 1: this form"),
        ("const text = `one\n  two`;", "line 1: this form"),
        ('import { b } from "./a.js";', "host.js, line 1: a.js does not export b"),
        ('\nimport { a } from "./b.js";', "host.js, line 2: there is no b.js"),
        ('import { c } from "./c.js";', "c.js, line 1: this form is not supported: export default 1;"),
        ('import { d } from "./d.js";', "these modules import each other: d -> e -> d"),
    ],
)
def test_other_imports_and_exports_are_refused(tmp_path: Path, text: str, message: str) -> None:
    folder = write_modules(
        tmp_path,
        host=text,
        a="export const a = 1;",
        c="export default 1;",
        d='import { e } from "./e.js";\nexport const d = 1;',
        e='import { d } from "./d.js";\nexport const e = 1;',
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        assets.join_modules(folder, "host")


def test_each_host_gets_what_it_needs() -> None:
    found = {host: set(modules_of(assets.replay_script(host))) for host in HOSTS}
    every_module = {path.stem for path in REPLAY_FOLDER.glob("*.js")}
    assert set().union(*found.values()) == every_module - set(HOSTS)
    assert found["board"] == {"mount", "scene", "values", "draw", "theme", "boards"}
    assert found["printed"] == found["board"] | {"numbers", "seats", "dice"}
    assert found["embed"] == {"surroundings"}
    assert not found["page"] & {"learn", "choose", "ask"}
    assert not (found["page"] | found["document"]) & {"whatif", "answer", "sheet"}
    assert not found["play"] & {"replay", "course", "ledger", "verdict", "whatif", "answer", "pair"}


def test_every_export_is_imported() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in REPLAY_FOLDER.glob("*.js"))
    exported = re.findall(r"^export (?:async )?(?:const|function|class) (\w+)", text, flags=re.MULTILINE)
    imported = ", ".join(re.findall(r"^import \{ (.*) \} from", text, flags=re.MULTILINE))
    assert len(exported) == len(set(exported)), "one name means one thing"
    assert set(exported) == set(imported.split(", "))


@pytest.mark.parametrize("host", HOSTS)
def test_a_script_is_a_module_or_can_stand_inside_a_page(host: str) -> None:
    script = assets.replay_script(host)
    assert not re.search(r"</script|<!--|^import ", script, flags=re.IGNORECASE | re.MULTILINE)
    exports = re.findall(r"^export default (?:function )?(\w+|\{.*\})", script, flags=re.MULTILINE)
    assert exports == [HOSTS[host]] * bool(HOSTS[host])
    namespace = "http://www.w3.org/2000/svg"  # a name, no address
    assert set(re.findall(r"https?://[^\"'\s]+", script)) <= {namespace}


def test_every_style_sheet_is_part_of_a_host() -> None:
    styles = [assets.replay_style(host) for host in HOSTS]
    for path in REPLAY_FOLDER.glob("*.css"):
        text = assets.shorten_asset(path.read_text(encoding="utf-8"))
        assert any(text in style for style in styles), path.name


def read_style_sheets() -> dict[str, str]:
    """Return the style sheets by name, without comments."""
    return {
        path.name: re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        for path in REPLAY_FOLDER.glob("*.css")
    }


def test_colours_and_fonts_stand_in_the_theme_alone() -> None:
    for name, text in read_style_sheets().items():
        found = re.findall(r"#[0-9a-fA-F]{3,8}\b|\b(?:rgb|hsl|oklch|light-dark)\(|\bsans-serif\b", text)
        assert bool(found) == (name == "theme.css"), (name, found)


def test_every_rule_of_a_style_sheet_stands_in_a_known_layer() -> None:
    layers = set(re.findall(r"[a-z]+", assets.STYLE_LAYERS)) - {"layer"}
    for name, text in read_style_sheets().items():
        outermost = re.findall(r"^(?! |\}|$).*", text, flags=re.MULTILINE)
        assert all(re.fullmatch(r"@layer (\w+) \{", line) for line in outermost), (name, outermost)
        assert {line.split()[1] for line in outermost} <= layers, name


def test_every_class_of_a_style_sheet_is_that_of_an_element() -> None:
    templates = files("pipelines.report.show") / "templates"
    texts = [path.read_text(encoding="utf-8") for path in REPLAY_FOLDER.glob("*.js")]
    texts += [(templates / "sheet.html").read_text(encoding="utf-8")]
    words = {word for text in texts for word in re.findall(r"[A-Za-z][\w-]*", text)}
    for name, text in read_style_sheets().items():
        classes = {
            found
            for line in re.findall(r"^[^;\n]*(?=\{|,$)", text, flags=re.MULTILINE)
            for found in re.findall(r"\.([A-Za-z][\w-]*)", line)
        }
        colours = {found for found in classes if found.startswith("c-")}  # made of the names of colours
        assert classes - colours <= words, name


def test_data_never_becomes_markup_or_code() -> None:
    for path in REPLAY_FOLDER.glob("*.js"):
        code = re.sub(r"/\*.*?\*/|//[^\n]*", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        for door in ("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "new Function"):
            assert door not in code, f"{path.name}: {door}"


def test_files_stay_readable() -> None:
    for path in REPLAY_FOLDER.iterdir():
        if path.is_dir():
            continue
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 600, path.name
