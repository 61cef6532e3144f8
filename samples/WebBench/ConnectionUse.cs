using System.Data.Common;

namespace Poolhouse.Samples.WebBench;

/// <summary>A connection, and what ends its use: the connection itself, or its lease.</summary>
internal readonly record struct ConnectionUse(DbConnection Connection, IAsyncDisposable End) : IAsyncDisposable
{
    public ValueTask DisposeAsync() => End.DisposeAsync();
}
