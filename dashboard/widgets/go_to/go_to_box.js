/*
 * The field of the box *Go to*, with the places below it that have all words that were typed, in any order: in the name, or in the words
 * that lead there, too. A word fits that begins one of theirs. Those with all of the words in their names come first.
 */
const MOST_PLACES = 12;
const SMALL_WORDS = new Set("a an and by can does for how in is it of on or that the to under was which with".split(" "));
const fold = (text) => text.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "").match(/[\p{L}\p{N}]+/gu) ?? [];
const fits = (words, asked) => words.some((word) => word.startsWith(asked) || asked === `${word}s`);

/** Return the places that fit, as their numbers. `places` hold a name and words that lead to it, both folded. */
export function findPlaces(places, text) {
  const typed = fold(text);
  const asked = typed.filter((word) => !SMALL_WORDS.has(word));
  if (!asked.length) asked.push(...typed);
  const found = [];
  places.forEach(({ name, words }, number) => {
    const isNamed = asked.every((word) => fits(name, word));
    if (isNamed || asked.every((word) => fits(name, word) || fits(words, word))) found.push({ number, isNamed });
  });
  return found.sort((a, b) => b.isNamed - a.isNamed || a.number - b.number).map(({ number }) => number);
}

function drawBox(parentElement) {
  const box = document.createElement("div");
  box.className = "go-to";
  box.innerHTML = `<input type="text" role="combobox" aria-expanded="true" aria-controls="places" aria-autocomplete="list" autocomplete="off" spellcheck="false">
    <ul role="listbox" id="places" aria-label="Places"></ul><p role="status"></p>`;
  parentElement.append(box);
  const field = box.querySelector("input");
  setTimeout(() => field.focus({ preventScroll: true }), 100); // the dialog takes the focus when it opens
  return field;
}

export default function showBox({ data, parentElement, setTriggerValue }) {
  if (parentElement.querySelector("input")) return undefined; // the places stay as they were when the box was opened
  const { places = [], label = "" } = data ?? {};
  const field = drawBox(parentElement);
  const list = parentElement.querySelector("ul");
  const status = parentElement.querySelector("p");
  const folded = places.map(([name, words]) => ({ name: fold(name), words: fold(words) }));
  field.ariaLabel = field.placeholder = label;
  let shown = [];
  let current = 0;

  const mark = (place) => {
    current = Math.max(0, Math.min(place, shown.length - 1));
    [...list.children].forEach((item, number) => item.setAttribute("aria-selected", number === current));
    list.children[current]?.scrollIntoView({ block: "nearest" });
    if (shown.length) field.setAttribute("aria-activedescendant", `place-${current}`);
    else field.removeAttribute("aria-activedescendant");
  };
  const choose = (place) => shown.length && setTriggerValue("chosen", shown[place]);
  const show = () => {
    shown = findPlaces(folded, field.value).slice(0, MOST_PLACES);
    list.replaceChildren(
      ...shown.map((number, place) => {
        const item = document.createElement("li");
        const [name, kind] = places[number][0].split(/ · (?=[^·]*$)/);
        const end = document.createElement("span");
        end.textContent = kind ?? "";
        item.append(name, " ", end);
        Object.assign(item, { role: "option", id: `place-${place}` });
        item.addEventListener("click", () => choose(place));
        return item;
      }),
    );
    status.textContent = shown.length ? "" : "Nothing has all of these words.";
    mark(0);
  };
  field.addEventListener("input", show);
  field.addEventListener("keydown", (event) => {
    const place = { ArrowDown: current + 1, ArrowUp: current - 1 }[event.key];
    if (place === undefined && event.key !== "Enter") return;
    event.preventDefault();
    if (place === undefined) choose(current);
    else mark(place);
  });
  show();
  return undefined;
}
