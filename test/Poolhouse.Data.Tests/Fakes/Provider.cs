using System.Data.Common;

namespace Poolhouse.Data.Tests.Fakes;

/// <summary>
/// Gives tests the provider's connection without removing it from its wrapper: unlike Unwrap, this has no side effect.
/// </summary>
internal static class Provider
{
    public static T Of<T>(DbConnection connection)
        where T : DbConnection => (T)(connection is PooledConnection pooled ? pooled.Physical!.Inner : connection);
}
