using Microsoft.EntityFrameworkCore;
using Microsoft.Extensions.DependencyInjection;
using Npgsql;
using Poolhouse.EntityFrameworkCore;

namespace Poolhouse.Samples.EfCoreApp;

/// <summary>The same registrations for an app with a host and a configuration.</summary>
internal static class HostedNotes
{
    public static void AddNotes(this IServiceCollection services, string connectionString)
    {
        // snippet: efcore-hosted
        services
            .AddDbConnectionPool<NpgsqlConnection>(NpgsqlFactory.Instance, connectionString, "notes")
            .BindConfiguration()
            .WarmUp(2)
            .DrainOnShutdown()
            .AddHealthCheck();
        services.AddDbContextPool<Notes>((provider, options) => options
            .UseNpgsql(connectionString)
            .UsePoolhouse<NpgsqlConnection>(provider, "notes"));
        // end snippet
    }
}
