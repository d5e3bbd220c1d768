"""The scripts of the pages. Streamlit runs them, nobody imports them; `dashboard.pages` lists them."""
