"""Services around the experiments: background jobs, the dashboard's server, the demo library, and the doctor."""
