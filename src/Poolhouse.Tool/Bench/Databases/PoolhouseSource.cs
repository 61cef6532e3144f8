using System.Data.Common;
using Poolhouse.Data;

namespace Poolhouse.Tool.Bench.Databases;

/// <summary>Poolhouse, with the default settings except those that a study sets.</summary>
internal static class PoolhouseSource
{
    private static readonly TimeSpan _retryDelay = TimeSpan.FromMilliseconds(100);

    public static DbDataSource Create(DbProviderFactory factory, string connectionString, SourceSettings settings)
    {
        var pool = new ResourcePoolOptions
        {
            MaxSize = settings.MaxSize,
            MaxRetryDelay = settings.MaxRetryDelay,
            RetryDelay = settings.MaxRetryDelay < _retryDelay ? settings.MaxRetryDelay : _retryDelay,
        };
        if (settings.RentTimeout is { } limit)
        {
            pool.RentTimeout = limit;
        }

        return PooledDataSource.Create(factory, connectionString, new DbPoolOptions { Pool = pool, Reset = settings.Reset });
    }
}
