/*
 * The address: where it says which ply is shown, and where other pages lie.
 */

/**
 * The address of the page, whose `?ply=` says where we are. It is written a moment after the last step, because
 * browsers refuse more than a few such changes a second.
 */
function addressOf(game, options) {
  const numbers = game.steps.map((step) => step.ply);
  const fallback = numbers.indexOf(options.ply);
  const kept = new Map(); // what else the address shall say
  let waiting = null;
  let timer = 0;
  const place = {
    /** The ply that the address names; null if it names none. */
    get named() {
      const text = new URLSearchParams(location.search).get("ply");
      if (text === null || !/^-?\d{1,9}$/.test(text)) return null;
      return place.indexOf(Number(text));
    },
    indexOf: (ply) => numbers.indexOf(ply),
    first: fallback,
    link(at) {
      const url = new URL(location.href);
      if (at === START && fallback === START) url.searchParams.delete("ply");
      else url.searchParams.set("ply", String(numbers[at] ?? START));
      for (const [name, value] of kept) {
        if (value === null) url.searchParams.delete(name);
        else url.searchParams.set(name, value);
      }
      return url.href;
    },
    remember: (name, value) => kept.set(name, value),
    /** The address that asks what if from a ply on: the one shown, and before the first the first. */
    whatif: (at) => place.whatifAt(numbers[Math.max(0, at)] ?? 0),
    whatifAt(ply, action) {
      if (!options.whatif || game.gameId === null) return null;
      const url = new URL(options.whatif, location.href.replace(/[?#].*$/, "").replace(/\/$/, ""));
      if (url.origin !== location.origin) return null;
      const asked = { run: game.run, game: game.gameId, ply, ...(action ? { action } : {}) };
      for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, String(value));
      return url.href;
    },
    write(at) {
      waiting = at;
      clearTimeout(timer);
      timer = setTimeout(place.flush, 120);
    },
    /** Drop what has not been written: the address belongs to something else now. */
    forget() {
      clearTimeout(timer);
      waiting = null;
    },
    flush() {
      clearTimeout(timer);
      if (waiting === null) return;
      try {
        const link = place.link(waiting);
        if (link !== location.href) history.replaceState(history.state, "", link);
      } catch {
        // A page without an address of its own (inside a notebook) has nothing to remember the ply in.
      }
      waiting = null;
    },
  };
  if (!options.isNext) place.first = place.named ?? fallback;
  return place;
}
