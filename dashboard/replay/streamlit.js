/*
 * Inside a Streamlit page. This runs again whenever the data or the theme changes, never for a mere rerun.
 */

const mounted = new WeakMap();

export default function mount({ parentElement, data }) {
  const { scene, ply, height } = asRecord(data);
  const text = JSON.stringify(scene);
  const known = mounted.get(parentElement);
  if (known && known.text === text) {
    known.replay.setTheme();
    if (known.ply !== ply && Number.isInteger(ply)) known.replay.goToPly(ply);
    known.ply = ply;
  } else {
    known?.replay.destroy();
    mounted.set(parentElement, { text, ply, replay: createReplay(parentElement, scene, { ply, height, isNext: Boolean(known) }) });
  }
  return () => {
    mounted.get(parentElement)?.replay.destroy();
    mounted.delete(parentElement);
  };
}
