using System.Runtime.ExceptionServices;

namespace Poolhouse.Tool.Bench.Measuring;

/// <summary>Threads that start together and are timed until the last is done.</summary>
// The time begins in the barrier's own action, when all threads have arrived and none has been released, and ends with the
// latest of the workers' last timestamps. Timing only the caller's thread would hide what contention does to the others.
internal sealed class Team : IDisposable
{
    private readonly TimeProvider _time;
    private readonly Barrier _start;
    private readonly Barrier _end;
    private readonly Thread[] _threads;
    private readonly long[] _begun;
    private readonly long[] _finished;
    private Action<int>? _work;
    private ExceptionDispatchInfo? _failure;
    private long _started;

    public Team(int size, TimeProvider time)
    {
        _time = time;
        Size = size;
        _start = new Barrier(size + 1, _ => _started = _time.GetTimestamp());
        _end = new Barrier(size + 1);
        _begun = new long[size];
        _finished = new long[size];
        _threads = [.. Enumerable.Range(0, size).Select(StartThread)];
    }

    public int Size { get; }

    /// <summary>The duration of the last run on the thread that waited least for a core, from its own start.</summary>
    public TimeSpan Shortest => Enumerable.Range(0, Size).Min(worker => _time.GetElapsedTime(_begun[worker], _finished[worker]));

    /// <summary>Runs the work on every thread.</summary>
    /// <returns>From the common start until the last thread was done.</returns>
    public TimeSpan Run(Action<int> work)
    {
        _work = work;
        _failure = null;
        _start.SignalAndWait();
        _end.SignalAndWait();
        Volatile.Read(ref _failure)?.Throw();
        return _time.GetElapsedTime(_started, _finished.Max());
    }

    public void Dispose()
    {
        _work = null;
        _start.SignalAndWait();
        foreach (var thread in _threads)
        {
            thread.Join();
        }

        _start.Dispose();
        _end.Dispose();
    }

    private Thread StartThread(int worker)
    {
        var thread = new Thread(() => Loop(worker)) { IsBackground = true, Name = $"bench {worker + 1}" };
        thread.Start();
        return thread;
    }

    private void Loop(int worker)
    {
        while (true)
        {
            _start.SignalAndWait();
            if (_work is not { } work)
            {
                return;
            }

            _begun[worker] = _time.GetTimestamp();
#pragma warning disable CA1031 // Every exception is passed to the caller of Run, and the other threads must not wait forever.
            try
            {
                work(worker);
            }
            catch (Exception exception)
            {
                _failure = ExceptionDispatchInfo.Capture(exception);
            }
#pragma warning restore CA1031

            _finished[worker] = _time.GetTimestamp();
            _end.SignalAndWait();
        }
    }
}
