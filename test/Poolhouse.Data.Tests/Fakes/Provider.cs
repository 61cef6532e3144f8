using System.Data.Common;

namespace Poolhouse.Data.Tests.Fakes;

/// <summary>
/// Shows a test which of the provider's connections it has, without taking it out of its wrapper: unlike Unwrap, this changes
/// nothing.
/// </summary>
internal static class Provider
{
    public static T Of<T>(DbConnection connection)
        where T : DbConnection => (T)(connection is PooledConnection pooled ? pooled.Physical!.Inner : connection);
}
