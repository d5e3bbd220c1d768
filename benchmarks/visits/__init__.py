"""How quick the dashboard is, and whether it is right, while people click through it: `python -m benchmarks.visits`.

Every session goes from page to page as people do, with pauses. It times every interaction until the page is settled,
and compares what pages say with what the run files hold. Some sessions are browsers; the others speak Streamlit's
protocol with the same server and draw nothing, as ten browsers on one machine mostly wait for each other.
"""
