/*
 * Load a script of Streamlit that stands beside its first one. The browser runs it once, so that the first chart finds it ready.
 */
const READING_MILLISECONDS = 1500; // the page is drawn by then, and most people still look at it
const BUSY_MILLISECONDS = 3000; // a page that moves all the time has nothing to do only now and then

export default function preload({ data }) {
  const { script, isUrgent } = data ?? {};
  const first = document.querySelector('script[type="module"][src]');
  if (!script || !first) return undefined;
  const load = () => import(new URL(script, first.src)).catch(() => {}); // Streamlit says what is wrong once it needs the script
  if (isUrgent) load();
  else setTimeout(() => ("requestIdleCallback" in window ? requestIdleCallback(load, { timeout: BUSY_MILLISECONDS }) : load()), READING_MILLISECONDS);
  return undefined;
}
