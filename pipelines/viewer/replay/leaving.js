/*
 * Whether the visitor is leaving the page. A request of a page that is being left would come between the server and the next
 * page: Streamlit would then show that page without its content.
 */

const LEAVING_MILLISECONDS = 3000; // the next page has come by then, or the visitor has stayed

/**
 * @param {Node} root a click on a link in here may be answered in place, so it is not counted
 * @returns {{isLeaving: () => boolean, destroy: () => void}}
 */
export function watchLeaving(root) {
  let followed = -Infinity; // when a link to another page was clicked

  function notice(event) {
    const path = event.composedPath();
    const link = path.find((node) => node instanceof HTMLAnchorElement);
    if (!link || path.includes(root) || event.ctrlKey || event.metaKey || event.shiftKey || link.target === "_blank") return;
    if (link.origin === location.origin && link.pathname !== location.pathname) followed = performance.now();
  }

  document.addEventListener("click", notice, true);
  return {
    isLeaving: () => performance.now() - followed < LEAVING_MILLISECONDS,
    destroy: () => document.removeEventListener("click", notice, true),
  };
}
