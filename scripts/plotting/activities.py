"""What a process does with its time: the words of results and traces, in the order of legends."""

ACTIVITIES = ("compute", "communication", "waiting", "endpoint", "idle")

# A trace leaves idle out: from the end of its last interval a process is idle.
TRACED = ACTIVITIES[:-1]
