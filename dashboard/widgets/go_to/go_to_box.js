/*
 * The field of the box *Go to*, with the places below it that have all words that were typed, in any order: in the name, or in the words
 * that lead there, too; if no place has all, those that have the most of them. A word fits that begins one of theirs. First comes what is
 * called exactly so, then what has all of the words in its name; notes come last. A place with a subject, such as another ruleset of a game,
 * is there only for those who type a word of it. A number leads to that game: beside words of a run to one of it, those with the shortest
 * names first, and alone to one of the first runs; words of a view of the board open it there. A word that begins none of theirs stands for
 * the nearest of them that stands beside the others, or is left out.
 */
const MOST_PLACES = 12;
const MOST_GAMES = 6;
const SMALL_WORDS = new Set("a an and at by can do does for has have help how i if in is it me my of on or that the to under was which will with you".split(" "));
const fold = (text) => text.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "").match(/[\p{L}\p{N}]+/gu) ?? [];
const findStem = (word) => (word.length > 5 ? word.replace(/(ing|s)$/, "") : word.length > 3 ? word.replace(/s$/, "") : word);
const fits = (words, asked) => words.some((word) => word.startsWith(asked) || findStem(word) === findStem(asked));
const allWords = ({ name, words, identifier }) => [...name, ...words, ...identifier];

/** Return the number of a game among the words, the words beside it, and whether it is called a game; 0 without a number. */
function readGame(typed) {
  const isNumber = (word) => /^\d{1,9}$/.test(word);
  const called = typed.findIndex((word, place) => isNumber(word) && typed[place - 1] === "game");
  const at = called < 0 ? typed.findLastIndex(isNumber) : called;
  const beside = typed.filter((word, place) => place !== at && word !== "game" && !SMALL_WORDS.has(word));
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
 * Return what was typed with the nearest word of the places for each that begins none of them, where at most one letter of four is wrong,
 * and the words that were typed and begin none.
 */
export function correctWords(places, text) {
  const typed = fold(text);
  const isKnown = (word) => SMALL_WORDS.has(word) || /\d/.test(word) || places.some((place) => fits(allWords(place), word));
  let around = places; // those that have the words before
  const keep = (word) => {
    const left = around.filter((place) => fits(allWords(place), word));
    if (left.length) around = left;
  };
  const right = new Set(typed.filter(isKnown));
  right.forEach(keep);
  const corrected = typed.flatMap((asked) => {
    if (right.has(asked)) return [asked];
    const words = [...new Set(around.flatMap(allWords))];
    const typos = words.map((word) => countTypos(asked, word));
    const fewest = Math.min(...typos);
    if (Math.floor(fewest) > Math.floor(asked.length / 4)) return [];
    const nearest = words[typos.indexOf(fewest)];
    keep(nearest);
    return [nearest];
  });
  return { corrected: corrected.join(" "), unknown: typed.filter((word) => !right.has(word)) };
}

/**
 * Return the places that fit, as their numbers, each with that of a game or 0 and that of a view of its board, and what to say above them.
 * The texts of `places` are folded.
 */
export function findPlaces(places, text) {
  const typed = fold(text);
  const asked = typed.filter((word) => !SMALL_WORDS.has(word));
  if (!asked.length) asked.push(...typed);
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
    const isNamed = asked.every((word) => fits(name, word));
    const fitting = asked.filter((word) => fits(name, word) || fits(words, word));
    const isWhole = isExact || fitting.length === asked.length;
    if (isWhole || (fitting.length && !isKept)) found.push({ number, game: 0, isWhole, fitting, rank: isExact ? 0 : isKept ? 4 : isNamed ? 1 : 2 });
  });
  const nearest = numbered.sort((a, b) => a.rank - b.rank || a.length - b.length).slice(0, MOST_GAMES);
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
  const countPlaces = (word) => found.filter(({ fitting }) => fitting.includes(word)).length;
  const shares = new Map(asked.map((word) => [word, 1 / countPlaces(word)])); // rare words say most, above all in a name
  const weigh = ({ number, fitting }) => fitting.reduce((sum, word) => sum + shares.get(word) * (fits(places[number].name, word) ? 2 : 1), 0);
  found.sort((a, b) => b.fitting.length - a.fitting.length || weigh(b) - weigh(a));
  return { found: found.filter(({ fitting }) => fitting.length === found[0].fitting.length), hint: found.length ? `Shown: ${found[0].fitting.join(" ")}` : "" };
}

/** Return the places for what was typed, or else for the words nearest to it, or else all; and what to say above them. */
export function seekPlaces(places, text) {
  const { corrected, unknown } = correctWords(places, text);
  const { found, hint } = findPlaces(places, corrected);
  if (!found.length || (text && !corrected)) return { ...findPlaces(places, ""), hint: "Nothing has these words. Places to begin:", isNothing: true };
  if (!unknown.length && !hint.startsWith("Shown")) return { found, hint };
  return { found, hint: `Nothing has ${unknown.join(", ") || "all of these words"}. ${hint || `Shown: ${corrected}`}` };
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
  const folded = places.map(([name, words, subject, identifier, games, isKept, isView]) => {
    return { name: fold(name), words: fold(words), subject: fold(subject), identifier: fold(identifier), games, isKept, isView };
  });
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
