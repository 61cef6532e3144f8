using System.Collections.Concurrent;
using System.Data.Common;

namespace Poolhouse.Data.Tests.Fakes;

/// <summary>A provider that records every call and can be made to fail or wait.</summary>
internal sealed class FakeDb : DbDataSource
{
    [ThreadStatic]
    private static bool _watched;

    private int _collisions;

    /// <summary>Every call, as "type.Member".</summary>
    public ConcurrentQueue<string> Calls { get; } = new();

    /// <summary>The calls made on a thread inside <see cref="Watch"/>: on the stack of the tested call.</summary>
    public ConcurrentQueue<string> Inline { get; } = new();

    public List<FakeConnection> Connections { get; } = [];

    /// <summary>The exceptions of calls, by the name of the call.</summary>
    public ConcurrentDictionary<string, Exception> Failures { get; } = new(StringComparer.Ordinal);

    /// <summary>Actions before calls, by the name of the call.</summary>
    public ConcurrentDictionary<string, Action> Before { get; } = new(StringComparer.Ordinal);

    /// <summary>The properties of closed connections about their target.</summary>
    public string Server { get; set; } = "fake";

    /// <summary>An action inside each call that reads.</summary>
    public Action? BeforeReading { get; set; }

    /// <summary>An action at the end of the call that closes a reader, when the reader is closed already.</summary>
    public Action? AfterClosing { get; set; }

    /// <summary>How often a reader was closed while a call was inside it, or was called after it was closed.</summary>
    public int Collisions => Volatile.Read(ref _collisions);

    public bool CanEnlist { get; set; } = true;

    /// <summary>The exception that a command throws when its connection is removed, as with some providers.</summary>
    public Exception? ReleaseFailure { get; set; }

    public override string ConnectionString => "Host=fake";

    public static DbPoolOptions OneConnection(SessionReset? reset = null)
    {
        var options = new DbPoolOptions { Reset = reset };
        options.Pool.MaxSize = 1;

        // A pause of the machine does not change the calls.
        options.Pool.ValidateAfterIdle = Timeout.InfiniteTimeSpan;
        return options;
    }

    /// <summary>Runs an action and returns the provider calls that it made on its own stack.</summary>
    public IReadOnlyList<string> Watch(Action action)
    {
        Inline.Clear();
        _watched = true;
        try
        {
            action();
        }
        finally
        {
            _watched = false;
        }

        return [.. Inline];
    }

    public void Note(string call)
    {
        Calls.Enqueue(call);
        if (_watched)
        {
            Inline.Enqueue(call);
        }

        if (Before.TryGetValue(call, out var action))
        {
            action();
        }

        if (Failures.TryGetValue(call, out var failure))
        {
            throw failure;
        }
    }

    public void NoteCollision() => Interlocked.Increment(ref _collisions);

    public int CountOf(string call) => Calls.Count(noted => string.Equals(noted, call, StringComparison.Ordinal));

    protected override DbConnection CreateDbConnection() => new FakeConnection(this);
}
