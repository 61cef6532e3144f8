namespace Poolhouse.Tool.Bench.Resources.Trials;

/// <summary>Everything that happened in a trial, in order; all figures and curves come from here.</summary>
internal sealed class Journal(TimeProvider time)
{
    private readonly Lock _gate = new();
    private readonly List<Entry> _entries = [];
    private long _zero = time.GetTimestamp();

    /// <summary>Seconds since the zero.</summary>
    public double Now => time.GetElapsedTime(_zero).TotalSeconds;

    /// <summary>Starts the trial. Earlier entries count for levels only.</summary>
    public void SetZero()
    {
        lock (_gate)
        {
            var shift = Now;
            for (var i = 0; i < _entries.Count; i++)
            {
                _entries[i] = _entries[i] with { At = _entries[i].At - shift };
            }

            _zero = time.GetTimestamp();
        }
    }

    public void Note(TrialEvent what, double value = 1)
    {
        lock (_gate)
        {
            _entries.Add(new Entry(what, Now, value));
        }
    }

    public IReadOnlyList<Entry> Of(TrialEvent what, double from = 0, double to = double.PositiveInfinity)
    {
        lock (_gate)
        {
            return [.. _entries.Where(entry => entry.What == what && entry.At >= from && entry.At < to)];
        }
    }

    public int Count(TrialEvent what, double from = 0, double to = double.PositiveInfinity) => Of(what, from, to).Count;

    /// <summary>The largest value noted; 0 if there is none.</summary>
    public double Largest(TrialEvent what, double from = 0, double to = double.PositiveInfinity) =>
        Of(what, from, to).Select(entry => entry.Value).DefaultIfEmpty().Max();

    /// <summary>How often something happened, per second, in each step up to an end.</summary>
    public IReadOnlyList<CurvePoint> Rates(TrialEvent what, double end, int steps)
    {
        var counts = new int[steps];
        foreach (var entry in Of(what, 0, end))
        {
            counts[Math.Min(steps - 1, (int)(entry.At / end * steps))]++;
        }

        var width = end / steps;
        return [.. counts.Select((count, step) => new CurvePoint((step + 0.5) * width, count / width))];
    }

    /// <summary>How often something had happened by the end of each step.</summary>
    public IReadOnlyList<CurvePoint> Totals(TrialEvent what, double end, int steps)
    {
        double[] times = [.. Of(what, 0, end).Select(entry => entry.At)];
        return [.. Enumerable.Range(0, steps + 1).Select(step => end * step / steps)
            .Select(at => new CurvePoint(at, times.Count(each => each <= at)))];
    }

    /// <summary>The maximum number of events within any period of the given length.</summary>
    public int LargestBurst(TrialEvent what, double seconds)
    {
        double[] times = [.. Of(what).Select(entry => entry.At)];
        var largest = 0;
        for (int first = 0, next = 0; first < times.Length; first++)
        {
            while (next < times.Length && times[next] < times[first] + seconds)
            {
                next++;
            }

            largest = Math.Max(largest, next - first);
        }

        return largest;
    }

    /// <summary>The highest level that was reached within each step.</summary>
    public IReadOnlyList<CurvePoint> Levels(Func<TrialEvent, int> change, double end, int steps)
    {
        var levels = LevelChanges(change);
        var points = new List<CurvePoint>(steps + 1);
        var next = 0;
        var level = 0;
        for (var step = 0; step <= steps; step++)
        {
            var until = end * step / steps;
            var highest = level;
            for (; next < levels.Count && levels[next].X <= until; next++)
            {
                level = (int)levels[next].Y;
                highest = Math.Max(highest, level);
            }

            points.Add(new CurvePoint(until, highest));
        }

        return points;
    }

    /// <summary>The highest level of all, from the zero on.</summary>
    public int Peak(Func<TrialEvent, int> change)
    {
        var during = LevelChanges(change).Where(point => point.X >= 0).Select(point => (int)point.Y);
        return during.Append(LevelAt(0, change)).Max();
    }

    /// <summary>The level just before a moment.</summary>
    public int LevelAt(double second, Func<TrialEvent, int> change) =>
        (int)LevelChanges(change).LastOrDefault(point => point.X < second).Y;

    /// <summary>The level after everything that was noted.</summary>
    public int LastLevel(Func<TrialEvent, int> change) => (int)LevelChanges(change).LastOrDefault().Y;

    /// <summary>For levels: sessions that are open or being opened.</summary>
    public static int Live(TrialEvent what) => what switch
    {
        TrialEvent.OpenBegun => 1,
        TrialEvent.OpenFailed or TrialEvent.Closed => -1,
        _ => 0,
    };

    /// <summary>For levels: callers that wait.</summary>
    public static int Waiting(TrialEvent what) => what switch
    {
        TrialEvent.Came => 1,
        TrialEvent.Served or TrialEvent.Refused => -1,
        _ => 0,
    };

    private List<CurvePoint> LevelChanges(Func<TrialEvent, int> change)
    {
        lock (_gate)
        {
            var level = 0;
            var changes = new List<CurvePoint>();
            foreach (var entry in _entries)
            {
                var step = change(entry.What);
                level += step;
                if (step != 0)
                {
                    changes.Add(new CurvePoint(entry.At, level));
                }
            }

            return changes;
        }
    }
}
