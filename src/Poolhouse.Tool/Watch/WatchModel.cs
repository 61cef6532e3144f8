namespace Poolhouse.Tool.Watch;

/// <summary>What is known of the pools of a process. Thread safe: the reader of the events adds, the screen reads.</summary>
internal sealed class WatchModel
{
    private const int EventsKept = 200;

    private readonly Lock _lock = new();
    private readonly Dictionary<int, PoolHistory> _pools = [];
    private readonly Dictionary<string, Worst> _worst = new(StringComparer.Ordinal);
    private readonly List<PoolEvent> _events = [];
    private TaskCompletionSource _changed = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>The number of complete pictures of all pools so far.</summary>
    public int Pictures { get; private set; }

    public DateTime Time { get; private set; }

    /// <summary>The version of Poolhouse in the process; empty before the first picture.</summary>
    public string Version { get; private set; } = "";

    /// <summary>Whether the events lack figures, because the version of Poolhouse in the process is too old.</summary>
    public bool IsTooOld { get; private set; }

    /// <summary>Completes when another picture is complete.</summary>
    public Task WhenChangedAsync()
    {
        lock (_lock)
        {
            return _changed.Task;
        }
    }

    /// <summary>Adds a snapshot that lacks figures.</summary>
    public void AddTooOld()
    {
        lock (_lock)
        {
            IsTooOld = true;
        }
    }

    public void Add(PoolEvent happened)
    {
        lock (_lock)
        {
            _events.Add(happened);
            if (_events.Count > EventsKept)
            {
                _events.RemoveAt(0);
            }
        }
    }

    /// <summary>Adds a picture of all pools, unless a later one is known; pools that are not part of it are gone.</summary>
    /// <remarks>While one session takes the place of another, both deliver the same pictures, one of them late.</remarks>
    public void Add(DateTime time, string version, IReadOnlyList<PoolSnapshot> pools)
    {
        TaskCompletionSource changed;
        lock (_lock)
        {
            if (time < Time)
            {
                return;
            }

            foreach (var gone in _pools.Keys.Except(pools.Select(each => each.Id)).ToList())
            {
                _pools.Remove(gone);
            }

            foreach (var snapshot in pools)
            {
                if (_pools.TryGetValue(snapshot.Id, out var history))
                {
                    history.Add(snapshot);
                }
                else
                {
                    _pools[snapshot.Id] = new PoolHistory(snapshot);
                }
            }

            foreach (var (id, history) in _pools)
            {
                Keep(Diagnosis.Of(history), $"{id}");
            }

            (Pictures, Time, Version) = (Pictures + 1, time, version);
            (changed, _changed) = (_changed, new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously));
        }

        changed.TrySetResult();
    }

    /// <summary>The pools as they are now, the one in the greatest distress first.</summary>
    public IReadOnlyList<Diagnosis> Diagnose()
    {
        lock (_lock)
        {
            return Diagnosis.Sort(_pools.Values.Select(Diagnosis.Of));
        }
    }

    /// <summary>Each pool at its worst moment, for a recorded trace.</summary>
    public IReadOnlyList<Diagnosis> DiagnoseWorst()
    {
        lock (_lock)
        {
            return Diagnosis.Sort(_worst.Values.Select(each => each.Diagnosis));
        }
    }

    public IReadOnlyList<PoolEvent> EventsOf(string pool)
    {
        lock (_lock)
        {
            return [.. _events.Where(each => each.Pool == pool)];
        }
    }

    private void Keep(Diagnosis diagnosis, string key)
    {
        if (!_worst.TryGetValue(key, out var worst) || diagnosis.IsWorseThan(worst.Diagnosis))
        {
            _worst[key] = new Worst(diagnosis);
        }
    }

    private sealed record Worst(Diagnosis Diagnosis);
}
