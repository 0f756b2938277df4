package retention

import (
	"testing"
	"time"
)

func TestTheNewestOfADayIsKept(t *testing.T) {
	day := time.Date(2026, 2, 1, 8, 0, 0, 0, time.UTC)
	snapshots := []Snapshot{{Name: "a", Taken: day}, {Name: "b", Taken: day.Add(time.Hour)}}
	doomed := Policy{Daily: 1}.Doomed(snapshots)
	if len(doomed) != 1 || doomed[0].Name != "a" {
		t.Fatalf("doomed %v", doomed)
	}
}
