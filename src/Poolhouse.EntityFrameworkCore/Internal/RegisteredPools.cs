using System.Data.Common;
using Microsoft.Extensions.DependencyInjection;
using Poolhouse.Data;

namespace Poolhouse.EntityFrameworkCore.Internal;

/// <summary>Finds the pools of a type of connection in an application's container.</summary>
internal static class RegisteredPools<TConnection>
    where TConnection : DbConnection
{
    public static DbConnectionPool<TConnection> Find(IServiceProvider services, string? name) => name is null
        ? services.GetService<DbConnectionPool<TConnection>>() ?? FindOnly(services)
        : services.GetKeyedService<DbConnectionPool<TConnection>>(name) ?? throw None(services, $" named '{name}'");

    private static DbConnectionPool<TConnection> FindOnly(IServiceProvider services)
    {
        var pools = Named(services);
        return pools.Count switch
        {
            0 => throw None(services, ""),
            1 => pools[0],
            _ => throw new InvalidOperationException(
                $"There are several pools of {typeof(TConnection).Name} in the container: {Names(pools)}. Pass the name of one " +
                "of them to UsePoolhouse."),
        };
    }

    private static InvalidOperationException None(IServiceProvider services, string named)
    {
        var others = Named(services);
        if (services.GetService<DbConnectionPool<TConnection>>() is { } unnamed)
        {
            others = [.. others.Append(unnamed).Distinct()];
        }

        return new InvalidOperationException(
            $"There is no pool of {typeof(TConnection).Name}{named} in the container; registered: {Names(others)}. Register it " +
            "with AddDbConnectionPool.");
    }

    private static List<DbConnectionPool<TConnection>> Named(IServiceProvider services) =>
        [.. services.GetKeyedServices<DbConnectionPool<TConnection>>(KeyedService.AnyKey)];

    private static string Names(List<DbConnectionPool<TConnection>> pools) =>
        pools.Count is 0 ? "none" : string.Join(", ", pools.Select(pool => $"'{pool.Name}'").Order(StringComparer.Ordinal));
}
