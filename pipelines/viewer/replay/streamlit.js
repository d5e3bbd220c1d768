/*
 * The replay on a Streamlit page. `mount` is called again when the data or the theme changes.
 */

const mounted = new WeakMap();

export default function mount({ parentElement, data }) {
  const { scene, ply, height, review, isReviewed, whatif, standings } = asRecord(data);
  const text = JSON.stringify(scene);
  const current = mounted.get(parentElement);
  if (current && current.text === text) {
    current.replay.setTheme();
    if (current.ply !== ply && Number.isInteger(ply)) current.replay.goToPly(ply);
    current.replay.setReview(review, isReviewed);
    current.ply = ply;
  } else {
    current?.replay.destroy();
    const options = { ply, height, review, isReviewed, whatif, standings, isNext: Boolean(current) };
    mounted.set(parentElement, { text, ply, replay: createReplay(parentElement, scene, options) });
  }
  return () => {
    mounted.get(parentElement)?.replay.destroy();
    mounted.delete(parentElement);
  };
}
