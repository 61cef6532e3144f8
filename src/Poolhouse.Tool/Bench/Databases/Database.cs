using System.Data.Common;
using Poolhouse.Data;

namespace Poolhouse.Tool.Bench.Databases;

/// <summary>A database under measurement: the rivals' sources of connections, and queries of known cost.</summary>
/// <remarks>Its connection string may contain a secret, so it is never shown; <see cref="Name"/> is.</remarks>
internal abstract class Database : IDisposable
{
    public abstract DatabaseKind Kind { get; }

    /// <summary>Product and version.</summary>
    public abstract string Name { get; }

    /// <summary>Whether the provider waits for its database without holding a thread. If not, callers are threads.</summary>
    public abstract bool IsAsynchronous { get; }

    /// <summary>Whether the provider has a pool of its own.</summary>
    public virtual bool HasProviderPool => true;

    /// <summary>A query that takes the database almost no time.</summary>
    public virtual string SmallQuery => "SELECT 1";

    /// <summary>Occupies a connection for about 2 ms.</summary>
    public abstract string BriefQuery { get; }

    /// <summary>Occupies a core for some tenths of a millisecond.</summary>
    public abstract string WorkingQuery { get; }

    /// <summary>Whether Poolhouse resets more of a session by default than the provider's pool.</summary>
    public bool HasOtherReset => ResetLikeProvider is not null;

    /// <summary>Creates a rival's source of connections.</summary>
    /// <param name="rival">Its name in <see cref="RivalNames"/>.</param>
    /// <param name="settings">The settings; each rival applies those that it supports.</param>
    /// <returns>The source; disposing it closes all of its connections.</returns>
    public DbDataSource Open(string rival, SourceSettings settings) => rival switch
    {
        RivalNames.NoPool => OpenWithoutPool(settings.Tag),
        RivalNames.ProviderPool when HasProviderPool => OpenProviderPool(settings),
        RivalNames.Poolhouse => OpenPoolhouse(settings),
        RivalNames.PoolhouseSameReset when HasOtherReset => OpenPoolhouse(settings with { Reset = ResetLikeProvider }),
        _ => throw new InvalidOperationException($"'{rival}' is no source of connections."),
    };

    /// <summary>A source that opens a connection each time.</summary>
    public abstract DbDataSource OpenWithoutPool(string tag);

    /// <summary>How many connections are open under a tag.</summary>
    /// <returns>Null if that cannot be determined.</returns>
    public abstract int? CountConnections(string tag);

    /// <summary>How many more connections there is room for.</summary>
    /// <returns>Null if that is unknown or unlimited.</returns>
    public abstract int? CountRoom();

    /// <summary>Releases the resources used for counting.</summary>
    public abstract void Dispose();

    /// <summary>
    /// The settings with which Poolhouse resets no more of a session than the provider's pool; null: the default.
    /// </summary>
    protected abstract SessionReset? ResetLikeProvider { get; }

    protected abstract DbDataSource OpenProviderPool(SourceSettings settings);

    protected abstract DbDataSource OpenPoolhouse(SourceSettings settings);
}
