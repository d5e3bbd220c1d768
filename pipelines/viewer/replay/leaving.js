/*
 * Whether the visitor is leaving the page. A request of a page that is being left would come between the server and the next
 * page: Streamlit would then show that page without its content.
 */

/**
 * @returns {{isLeaving: () => boolean, destroy: () => void}}
 */
export function watchLeaving() {
  const home = location.pathname;
  let isFollowing = false;

  function notice(event) {
    const link = event.composedPath().find((node) => node instanceof HTMLAnchorElement);
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || link.target === "_blank") return;
    if (link.origin === location.origin && link.pathname !== home) isFollowing = true;
  }

  document.addEventListener("click", notice, true);
  return {
    isLeaving: () => isFollowing || location.pathname !== home,
    destroy: () => document.removeEventListener("click", notice, true),
  };
}
