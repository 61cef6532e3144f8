using System.Runtime;

namespace Poolhouse.Tool.Bench.Measuring;

/// <summary>Measures the rivals of a cell in turn, so that disturbances affect all equally.</summary>
internal sealed class Measurer(Pace pace, TimeProvider time, CancellationToken cancellation) : IDisposable
{
    private static readonly TimeSpan _quietTime = TimeSpan.FromMilliseconds(150);
    private static readonly TimeSpan _warmUpSlice = TimeSpan.FromMilliseconds(3);
    private const int RoundsOfSlowCells = 3;
    private const int SlowCell = 5;
    private const int LongestCell = 64;
    private const int MostAttempts = 4;

    private readonly long _started = time.GetTimestamp();
    private Team? _team;

    /// <summary>Runs the rivals of some cells until the JIT has nothing left to improve in them.</summary>
    // The code moves up a tier when it was called often and the JIT has been idle for a moment (which the project file makes
    // short), and twice because of the profile in between. There is no event for that; a while without new methods is the
    // best sign.
    public void WarmUp(IReadOnlyList<Cell> cells)
    {
        if (pace.WarmUp == TimeSpan.Zero)
        {
            return;
        }

        var started = time.GetTimestamp();
        var lastChange = started;
        var compiled = 0L;
        do
        {
            foreach (var cell in cells)
            {
                WarmUp(cell);
            }

            var now = JitInfo.GetCompiledMethodCount(currentThread: false);
            lastChange = now == compiled ? lastChange : time.GetTimestamp();
            compiled = now;
        }
        while (time.GetElapsedTime(started) < pace.WarmUp
            || (time.GetElapsedTime(lastChange) < _quietTime && time.GetElapsedTime(started) < 2 * pace.WarmUp));
    }

    /// <summary>Measures every rival of a cell.</summary>
    /// <exception cref="OperationCanceledException">The user stopped the run; the measurements of this cell are
    /// dropped.</exception>
    public IReadOnlyList<Measurement> Measure(string experiment, Cell cell)
    {
        var team = TeamOf(cell.Threads);
        try
        {
            return MeasureIn(team, experiment, cell);
        }
        finally
        {
            foreach (var contender in cell.Contenders)
            {
                contender.Stop();
            }
        }
    }

    public void Dispose()
    {
        _team?.Dispose();
        _team = null;
    }

    private List<Measurement> MeasureIn(Team team, string experiment, Cell cell)
    {
        var calls = new long[cell.Contenders.Count];
        var isLate = time.GetElapsedTime(_started) > pace.Budget;
        var rounds = isLate ? Math.Min(cell.Rounds ?? 1, RoundsOfSlowCells) : cell.Rounds ?? pace.Rounds;
        for (var i = 0; i < calls.Length; i++)
        {
            cell.Contenders[i].Start(team.Size);
            calls[i] = CallsPerRound(team, cell.Contenders[i], out var elapsed);
            rounds = cell.Rounds is null && elapsed > pace.RoundTime * SlowCell ? Math.Min(rounds, RoundsOfSlowCells) : rounds;
        }

        // Pooled items of a long-lived process are in an old generation, so these are moved there too.
        GC.Collect();
        GC.WaitForPendingFinalizers();
        var results = calls.Select(_ => new List<Round>(rounds)).ToArray();
        for (var round = 0; round < rounds; round++)
        {
            foreach (var i in Turns.InRound(round, calls.Length))
            {
                cancellation.ThrowIfCancellationRequested();
                results[i].Add(Time(team, cell.Contenders[i], calls[i]));
            }
        }

        return [.. results.Select((result, i) => Summarise(experiment, cell, cell.Contenders[i], calls[i], result))];
    }

    /// <summary>Finds how many calls fill a round, which also fills the pool and its caches.</summary>
    private long CallsPerRound(Team team, Contender contender, out TimeSpan elapsed)
    {
        var calls = contender.FixedCalls ?? 1;
        while (true)
        {
            cancellation.ThrowIfCancellationRequested();
            var wall = Time(team, contender, calls).Elapsed;
            if (contender.FixedCalls is not null)
            {
                elapsed = wall;
                return calls;
            }

            elapsed = WithoutWaiting(team, wall);
            // Again until two times agree, because a thread that lost its core for a while would make few calls look long.
            for (var attempt = 0; attempt < MostAttempts && elapsed >= pace.RoundTime / 4; attempt++)
            {
                var again = WithoutWaiting(team, Time(team, contender, calls).Elapsed);
                var agrees = again / elapsed is > 0.8 and < 1.25;
                elapsed = again < elapsed ? again : elapsed;
                if (agrees)
                {
                    break;
                }
            }

            if (elapsed >= pace.RoundTime / 4)
            {
                return Math.Max(1, (long)(calls * (pace.RoundTime / elapsed)));
            }

            if (wall > pace.RoundTime * LongestCell)
            {
                return calls;
            }

            calls *= elapsed < pace.RoundTime / 64 ? 8 : 2;
        }
    }

    // Where other programs keep the cores busy, the last of several threads begins long after the first, and a round of a few
    // calls would fill its time with nothing but that wait. Threads that take turns on the cores may differ by a factor of two.
    private static TimeSpan WithoutWaiting(Team team, TimeSpan wall)
    {
        var longest = team.Shortest * 2 * Math.Max(1, team.Size / (double)Environment.ProcessorCount);
        return TimeSpan.FromTicks(Math.Clamp(longest.Ticks, 1, Math.Max(1, wall.Ticks)));
    }

    private static Round Time(Team team, Contender contender, long calls)
    {
        contender.BeforeRound();
        var before = GarbageMeter.Read();
        var elapsed = team.Run(worker => contender.Work(worker, calls));
        return new Round(elapsed, GarbageMeter.Read() - before);
    }

    private static Measurement Summarise(string experiment, Cell cell, Contender contender, long calls, List<Round> rounds)
    {
        var operations = contender.OperationsIn(calls);
        double[] times = [.. rounds.Select(round => round.Elapsed.TotalNanoseconds / operations)];
        return new Measurement
        {
            Experiment = experiment,
            Scenario = cell.Scenario,
            Rival = contender.Rival,
            Threads = cell.Threads,
            Parameters = cell.Parameters,
            Nanoseconds = Medians.Of(times),
            Fastest = times.Min(),
            Slowest = times.Max(),
            BytesPerOperation = Medians.Of(rounds.Select(round => (double)round.Garbage.Bytes / operations)),
            Rounds = rounds.Count,
            OperationsPerRound = operations,
            InputBytes = contender.InputBytes,
            ItemThreads = contender.ItemThreads,
            Gen0 = rounds.Sum(round => round.Garbage.Gen0),
            Gen1 = rounds.Sum(round => round.Garbage.Gen1),
            Gen2 = rounds.Sum(round => round.Garbage.Gen2),
            PauseMilliseconds = rounds.Sum(round => round.Garbage.Pause.TotalMilliseconds),
        };
    }

    private void WarmUp(Cell cell)
    {
        var team = TeamOf(cell.Threads);
        foreach (var contender in cell.Contenders)
        {
            contender.Start(team.Size);
            contender.BeforeRound();
            for (var started = time.GetTimestamp(); time.GetElapsedTime(started) < _warmUpSlice;)
            {
                cancellation.ThrowIfCancellationRequested();
                team.Run(worker => contender.Work(worker, contender.FixedCalls ?? 100));
            }

            contender.Stop();
        }
    }

    private Team TeamOf(int size)
    {
        if (_team?.Size != size)
        {
            _team?.Dispose();
            _team = new Team(size, time);
        }

        return _team;
    }
}
