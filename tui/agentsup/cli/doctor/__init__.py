"""What `agentsup doctor` looks at, one file a subject: functions that look, and pure ones that judge what was seen."""
