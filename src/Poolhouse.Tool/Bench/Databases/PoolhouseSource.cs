using System.Data.Common;
using Poolhouse.Data;

namespace Poolhouse.Tool.Bench.Databases;

/// <summary>Poolhouse, with the default settings except those that a study sets.</summary>
internal static class PoolhouseSource
{
    private static readonly string[] _timeouts = ["Timeout", "Connect Timeout", "Connection Timeout"];
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

            // The setting in the string would limit the wait for a connection as well, and contradict this one.
            var builder = factory.CreateConnectionStringBuilder()!;
            builder.ConnectionString = connectionString;
            foreach (var keyword in _timeouts.Where(builder.ContainsKey))
            {
                builder.Remove(keyword);
            }

            connectionString = builder.ConnectionString;
        }

        return PooledDataSource.Create(factory, connectionString, new DbPoolOptions { Pool = pool, Reset = settings.Reset });
    }
}
