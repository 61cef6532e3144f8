using System.Data.Common;
using Poolhouse.Data;

namespace Poolhouse.Tool.Bench.Databases;

/// <summary>A database under measurement: the rivals that reach it, and queries whose cost is known.</summary>
/// <remarks>Its connection string may hold a secret, so it is never shown; <see cref="Name"/> is.</remarks>
internal abstract class Database : IDisposable
{
    /// <summary>A query that costs the database next to nothing.</summary>
    public const string SmallQuery = "SELECT 1";

    public abstract DatabaseKind Kind { get; }

    /// <summary>Product and version.</summary>
    public abstract string Name { get; }

    /// <summary>Whether the provider waits for its database without holding a thread. If not, callers are threads.</summary>
    public abstract bool IsAsynchronous { get; }

    /// <summary>Keeps a connection for some 2 ms.</summary>
    public abstract string BriefQuery { get; }

    /// <summary>Keeps a core for some tenths of a millisecond.</summary>
    public abstract string WorkingQuery { get; }

    /// <summary>A source of connections as a rival makes them.</summary>
    /// <param name="rival">Its name in <see cref="RivalNames"/>.</param>
    /// <param name="settings">How large, and more; each rival takes what it understands.</param>
    /// <returns>To be disposed, with every connection that it keeps.</returns>
    public DbDataSource Open(string rival, SourceSettings settings) => rival switch
    {
        RivalNames.NoPool => OpenWithoutPool(settings.Tag),
        RivalNames.ProviderPool => OpenProviderPool(settings),
        RivalNames.Poolhouse => OpenPoolhouse(settings),
        RivalNames.PoolhouseSameReset => OpenPoolhouse(settings with { Reset = ResetLikeProvider }),
        _ => throw new InvalidOperationException($"'{rival}' is no source of connections."),
    };

    /// <summary>A source that opens a connection each time.</summary>
    public abstract DbDataSource OpenWithoutPool(string tag);

    /// <summary>How many connections are open under a tag.</summary>
    /// <returns>Null where that cannot be seen.</returns>
    public abstract int? CountConnections(string tag);

    /// <summary>How many more connections there is room for.</summary>
    /// <returns>Null where that cannot be known, or where there is no end.</returns>
    public abstract int? CountRoom();

    /// <summary>Releases the resources used for counting.</summary>
    public abstract void Dispose();

    /// <summary>The settings with which Poolhouse does no more to a session than the provider's pool.</summary>
    protected abstract SessionReset ResetLikeProvider { get; }

    protected abstract DbDataSource OpenProviderPool(SourceSettings settings);

    protected abstract DbDataSource OpenPoolhouse(SourceSettings settings);
}
