/*
 * The field of the box *Go to*, with the places below it that have all words that were typed, in any order: in the name, or in the words
 * that lead there, too; if no place has all, those that have most of them. First comes what is called exactly so, then what has the rarest
 * words, in its name and with the ending that was typed; notes come last. FILLERS only decide between places that are equal but for them.
 * A place with a subject, such as another ruleset of a game, is there only for those who type a word of it. A number leads to that game:
 * beside words of a run to one of it, those with the shortest names first, and alone to one of the first runs; words of a view of the board
 * open it there. A word that fits none of theirs stands for the nearest of them that stands beside the others. If one is near none, only
 * the words that fit count.
 */
const MOST_PLACES = 12;
const MOST_GAMES = 6;
const FILLERS = new Set(
  "a about an and any are at be been by can could did do does for from get give had has have help how i if in into is it its let like make many me more my of on one or our please see should show so some than that the their them there these they this to under use want was way we were what when which who why will with would you your".split(" "),
);
const ANY_FILLER = 0.25; // of the weight of another word
const fold = (text) => text.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "").match(/[\p{L}\p{N}]+/gu) ?? [];
const stems = new Map();

/** Return a word without an s at its end, and without any other ending. */
function readStems(word) {
  if (!stems.has(word)) {
    const singular = word.replace(/(?<=..)s$/, "");
    stems.set(word, [singular, singular.replace(/(?<=...)(ing|est|ed)$|(?<=....)(ie|e|y)$/, "").replace(/(.)\1$/, "$1")]);
  }
  return stems.get(word);
}

/** Return how well the best of some words fits one that was typed: less if its ending is another one, or is not typed yet. */
function fit(words, asked) {
  const [singular, stem] = readStems(asked);
  let best = 0;
  for (const word of words) {
    const [otherSingular, otherStem] = readStems(word);
    if (singular === otherSingular) return 1;
    best = Math.max(best, stem === otherStem ? 0.6 : word.startsWith(asked) ? 0.5 : 0);
  }
  return best;
}
const fits = (words, asked) => fit(words, asked) > 0;
const allWords = ({ name, words, subject, identifier }) => [...name, ...words, ...subject, ...identifier];

/** Return the number of a game among the words, the words beside it, and whether it is called a game; 0 without one, as in "3 players". */
function readGame(typed) {
  const isNumber = (word, place) => /^\d{1,9}$/.test(word) && ![typed[place - 1], typed[place + 1]].some((next) => /^(players?|games|points)$/.test(next));
  const called = typed.findIndex((word, place) => isNumber(word, place) && typed[place - 1] === "game");
  const at = called < 0 ? typed.findLastIndex(isNumber) : called;
  const beside = typed.filter((word, place) => place !== at && word !== "game" && !FILLERS.has(word));
  return { game: Number(typed[at] ?? 0), beside, isCalled: typed.includes("game") };
}

const WRONG_LETTER = 1.1; // more than a letter that is missing, doubled or in the place of its neighbour

/** Return by how many letters a typed word differs at least from the beginning of another one. */
function countTypos(typed, word) {
  let before = [];
  let row = Array.from({ length: word.length + 1 }, (_, place) => place);
  [...typed].forEach((letter, number) => {
    const next = [number + 1];
    for (let place = 1; place <= word.length; place++) {
      const isSwapped = number && place > 1 && letter === word[place - 2] && typed[number - 1] === word[place - 1];
      next.push(
        Math.min(
          row[place] + 1,
          next[place - 1] + 1,
          row[place - 1] + (word[place - 1] === letter ? 0 : WRONG_LETTER),
          isSwapped ? before[place - 2] + 1 : Infinity,
        ),
      );
    }
    [before, row] = [row, next];
  });
  return Math.min(...row);
}

/**
 * Return what was typed with the nearest word of the places for each that fits none of them, where at most one letter of four is wrong, and
 * the words that were typed and fit none. If one is near none, they are left out.
 */
export function correctWords(places, text) {
  const typed = fold(text);
  const isKnown = (word) => FILLERS.has(word) || /\d/.test(word) || places.some((place) => fits(allWords(place), word));
  let around = places; // those that have the words before
  const keep = (word) => {
    const left = around.filter((place) => fits(allWords(place), word));
    if (left.length) around = left;
  };
  const right = new Set(typed.filter(isKnown));
  right.forEach(keep);
  const unknown = typed.filter((word) => !right.has(word));
  const nearest = new Map();
  for (const asked of unknown) {
    const words = [...new Set(around.flatMap(allWords))];
    const typos = words.map((word) => countTypos(asked, word));
    const fewest = Math.min(...typos);
    if (Math.floor(fewest) > Math.floor(asked.length / 4)) return { corrected: typed.filter((word) => right.has(word)).join(" "), unknown };
    nearest.set(asked, words[typos.indexOf(fewest)]);
    keep(nearest.get(asked));
  }
  return { corrected: typed.map((word) => nearest.get(word) ?? word).join(" "), unknown };
}

/**
 * Return the places that fit, as their numbers, each with that of a game or 0 and that of a view of its board, and what to say above them.
 * The texts of `places` are folded.
 */
export function findPlaces(places, text) {
  const typed = fold(text);
  const asked = typed.some((word) => !FILLERS.has(word)) ? typed.filter((word) => !FILLERS.has(word)) : typed;
  const { game, beside, isCalled } = readGame(typed);
  const isCalledSo = (words, called) => called.length > 0 && called.join(" ") === words.join(" ");
  const numbered = [];
  const short = []; // runs with fewer games
  let found = [];
  const views = places.flatMap((place, view) => (place.isView ? [{ place, view }] : []));
  places.forEach(({ name, words, subject, identifier, games, isKept }, number) => {
    const rest = beside.filter((word) => !fits(name, word));
    const { view } = rest.length ? (views.find(({ place }) => rest.every((word) => fits(place.name, word))) ?? {}) : {};
    if (game && games && (!rest.length || view !== undefined)) {
      const isExact = isCalledSo(beside.filter((word) => !rest.includes(word)), identifier);
      if (game <= games) numbered.push({ number, game, view, rank: isCalled || !beside.length || isExact ? 0 : 3, length: beside.length && name.length });
      else if (beside.length) short.push({ number, game: 0, isExact });
    }
    const isExact = isCalledSo(typed, identifier) || isCalledSo(typed, name.slice(0, -1));
    if (subject.length && !isExact && !asked.some((word) => fits(subject, word))) return;
    const shares = new Map(typed.map((word) => [word, Math.max(2 * fit(name, word), fit(words, word), fit(subject, word))]));
    const fitting = asked.filter((word) => shares.get(word));
    const isWhole = isExact || fitting.length === asked.length;
    if (isWhole || (fitting.length && !isKept)) found.push({ number, game: 0, isWhole, fitting, shares, length: typed.length && name.length, rank: isExact ? 0 : isKept ? 4 : 1 });
  });
  const nearest = numbered.sort((a, b) => a.rank - b.rank || a.length - b.length).slice(0, MOST_GAMES);
  // rare words say most
  const weights = new Map(typed.map((word) => [word, (asked.includes(word) ? 1 : word.length > 2 ? ANY_FILLER : 0) * Math.log(1 + places.length / found.filter(({ shares }) => shares.get(word)).length)]));
  for (const place of found) place.weight = typed.reduce((sum, word) => sum + (place.shares.get(word) && place.shares.get(word) * weights.get(word)), 0);
  found.sort((a, b) => a.rank - b.rank || b.weight - a.weight || a.length - b.length);
  const whole = found.filter(({ isWhole }) => isWhole);
  if (nearest.length || whole.length) {
    const more = numbered.length - nearest.length;
    const hint = more ? `${more} more ${more > 1 ? "runs have" : "run has"} a game ${game}: add words of one.` : "";
    return { found: [...nearest, ...whole].sort((a, b) => a.rank - b.rank), hint };
  }
  if (short.length) {
    found = short.some(({ isExact }) => isExact) ? short.filter(({ isExact }) => isExact) : short;
    const most = Math.max(...found.map(({ number }) => places[number].games));
    return { found, hint: `${found.length > 1 ? "These runs have at most" : "This run has"} ${most} games.` };
  }
  return { found: found.filter(({ fitting }) => fitting.join() === found[0].fitting.join()), hint: found.length ? `Shown: ${found[0].fitting.join(" ")}` : "" };
}

const NOTHING_FITS = "Nothing fits. You can look for pages, rulesets, rules, strategies, runs, a game by its number, and notes, in words such as \u201cwho starts\u201d or \u201clongest game\u201d. Pages:";

/** Return the places for what was typed, or else for the words nearest to it, or else all; and what to say above them. */
export function seekPlaces(places, text) {
  const { corrected, unknown } = correctWords(places, text);
  const { found, hint } = findPlaces(places, corrected);
  const isLost = unknown.length > 0 && fold(corrected).every((word) => FILLERS.has(word));
  if (!found.length || (text && !corrected) || isLost) return { ...findPlaces(places, ""), hint: NOTHING_FITS, isNothing: true };
  if (!unknown.length && !hint.startsWith("Shown")) return { found, hint };
  return { found, hint: `Nothing has ${unknown.join(", ") || "all of these words"}. ${hint || `Shown: ${corrected}`}` };
}

/** Return places as the page sends them with all texts as words. */
export function foldPlaces(places) {
  return places.map(([name, words, subject, identifier, games, isKept, isView]) => {
    return { name: fold(name), words: fold(words), subject: fold(subject), identifier: fold(identifier), games, isKept, isView };
  });
}

function drawBox(parentElement) {
  const box = document.createElement("div");
  box.className = "go-to";
  box.innerHTML = `<input type="text" role="combobox" aria-expanded="true" aria-controls="places" aria-autocomplete="list" autocomplete="off" spellcheck="false">
    <p role="status"></p><ul role="listbox" id="places" aria-label="Places"></ul>`;
  parentElement.append(box);
  return box.querySelector("input");
}

export default function showBox({ data, parentElement, setTriggerValue }) {
  if (parentElement.querySelector("input")) return undefined; // the places stay as they were when the box was opened
  const { places = [], label = "", typed = "" } = data ?? {};
  const field = drawBox(parentElement);
  const list = parentElement.querySelector("ul");
  const status = parentElement.querySelector("p");
  const folded = foldPlaces(places);
  field.ariaLabel = field.placeholder = label;
  field.value = seekPlaces(folded, typed).isNothing ? "" : typed; // no place is near, so all are listed
  let shown = [];
  let current = 0;

  const mark = (place) => {
    current = Math.max(0, Math.min(place, shown.length - 1));
    [...list.children].forEach((item, number) => item.setAttribute("aria-selected", number === current));
    list.children[current]?.scrollIntoView({ block: "nearest" });
    if (shown.length) field.setAttribute("aria-activedescendant", `place-${current}`);
    else field.removeAttribute("aria-activedescendant");
  };
  const choose = (place) => shown.length && setTriggerValue("chosen", [shown[place].number, shown[place].game, shown[place].view]);
  const show = () => {
    const { found, hint } = seekPlaces(folded, field.value);
    shown = found.slice(0, MOST_PLACES);
    list.replaceChildren(
      ...shown.map(({ number, game, view }, place) => {
        const item = document.createElement("li");
        const [name, kind] = places[number][0].split(/ · (?=[^·]*$)/);
        const end = document.createElement("span");
        end.textContent = game ? "game" : (kind ?? "");
        const opened = view === undefined ? "" : `${places[view][0].split(" · ")[0]}: `;
        item.append(game ? `${opened}Game ${game} of ${name}` : name, " ", end);
        Object.assign(item, { role: "option", id: `place-${place}` });
        item.addEventListener("click", () => choose(place));
        return item;
      }),
    );
    status.textContent = hint;
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
  setTimeout(() => {
    field.focus({ preventScroll: true }); // the dialog takes the focus when it opens
    dispatchEvent(new CustomEvent("go-to-field", { detail: field })); // the letters that were typed meanwhile are written into it
    show();
  }, 100);
  return undefined;
}
