"""What runs beside the experiments: background jobs, the server of the dashboard, the demo library, the doctor."""
