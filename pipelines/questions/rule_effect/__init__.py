"""What a rule changes: two rulesets with the same strategies and the same luck. Rulesets by themselves, too."""
