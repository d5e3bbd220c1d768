"""The viewer of games: it turns a scene into HTML, SVG and JavaScript, without Streamlit and without DuckDB."""
