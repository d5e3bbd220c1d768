"""What the page Rules tells of a change of rules: two rulesets, played on the same luck."""
