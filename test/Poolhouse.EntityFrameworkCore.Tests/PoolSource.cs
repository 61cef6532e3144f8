namespace Poolhouse.EntityFrameworkCore.Tests;

/// <summary>Specifies what a pool of the tests opens its connections with.</summary>
public enum PoolSource
{
    Delegate,
    DataSource,
    Factory,

    /// <summary>A factory with <c>DbPoolOptions.Credentials</c>.</summary>
    Credentials,
}
