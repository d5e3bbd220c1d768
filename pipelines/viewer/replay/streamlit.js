/*
 * Inside a Streamlit page. This runs again whenever the data or the theme changes, never for a mere rerun.
 */

const mounted = new WeakMap();

export default function mount({ parentElement, data }) {
  const { scene, ply, height, review, isReviewed, whatif, standings } = asRecord(data);
  const text = JSON.stringify(scene);
  const known = mounted.get(parentElement);
  if (known && known.text === text) {
    known.replay.setTheme();
    if (known.ply !== ply && Number.isInteger(ply)) known.replay.goToPly(ply);
    known.replay.setReview(review, isReviewed);
    known.ply = ply;
  } else {
    known?.replay.destroy();
    const options = { ply, height, review, isReviewed, whatif, standings, isNext: Boolean(known) };
    mounted.set(parentElement, { text, ply, replay: createReplay(parentElement, scene, options) });
  }
  return () => {
    mounted.get(parentElement)?.replay.destroy();
    mounted.delete(parentElement);
  };
}
