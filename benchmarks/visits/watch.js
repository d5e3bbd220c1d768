// What a visited page knows of itself. Playwright's own waiting looks again after 0.02, 0.05, 0.1, 0.1 and then 0.5 s, and
// tells of it later; searching a page at every frame takes a twentieth of a second from it, on the processor that draws it.
// So the page keeps the moment since when it has been at rest, and is searched only then.
(() => {
  const TEXTS = "p, li, label, h1, h2, h3, h4"; // where a page says something; components are read wholly

  /** Seconds, of the clock that Python's time.time() reads. */
  const now = () => (performance.timeOrigin + performance.now()) / 1000;

  /** Nothing is being worked out, no part still waits for its script, and all charts are drawn. */
  const isAtRest = () => {
    const app = document.querySelector('[data-testid="stApp"]');
    return app?.dataset.testScriptState === "notRunning"
      && !document.querySelector('[data-stale="true"], [data-testid="stSkeleton"]')
      && [...document.querySelectorAll(".stPlotlyChart")].every(chart => chart.querySelector(".main-svg"));
  };

  /** The first of what `read` finds in an element that is seen, components included. */
  const first = (root, selector, read) => {
    for (const element of root.querySelectorAll(selector)) {
      const found = element.getClientRects().length && read(element);
      if (found) return found;
    }
    for (const element of root.querySelectorAll("*")) {
      const inside = selector === TEXTS ? "*" : selector;
      const found = element.shadowRoot && first(element.shadowRoot, inside, read);
      if (found) return found;
    }
    return "";
  };

  const looks = {
    there: selector => first(document, selector, () => "there"),
    says: (pattern, where = TEXTS) => {
      const wanted = new RegExp(pattern, "m");
      return first(document, where, element => {
        const text = element.textContent.trim().replace(/\s+/g, " ");
        return text.length < 2000 && wanted.exec(text)?.[0];
      });
    },
    address: (key, value) => new URLSearchParams(location.search).get(key) === value && "there",
    rest: () => "there",
  };

  let since = 0;
  const watch = () => {
    since = isAtRest() ? since || now() : 0;
    requestAnimationFrame(watch);
  };
  watch();

  /** The moment and the finding, if the page is at rest and shows what is looked for; nothing otherwise. */
  window.visited = (look, ...wanted) => {
    const found = isAtRest() && looks[look](...wanted);
    return found ? [look === "rest" ? since || now() : now(), found] : null;
  };
})();
