using Microsoft.Extensions.DependencyInjection;

namespace Poolhouse.Samples.Cookbook;

internal static class Apps
{
    public static async Task InjectAsync()
    {
        var services = new ServiceCollection();
        // snippet: recipe-inject
        services.AddResourcePool<Session, SessionPolicy>("crm", options => options.MaxSize = 4);
        services.AddSingleton<Customers>();
        // end snippet

        await using var provider = services.BuildServiceProvider();
        Console.WriteLine(await provider.GetRequiredService<Customers>().FindAsync("ada", CancellationToken.None));
    }

    public static async Task PerScopeAsync()
    {
        var services = new ServiceCollection();
        // snippet: recipe-scoped
        // Rented when the scope (in ASP.NET Core, the request) first resolves it, and returned when the scope ends.
        services.AddPooledScoped<Basket>();
        // end snippet

        await using var provider = services.BuildServiceProvider();
        for (var request = 1; request <= 2; request++)
        {
            await using var scope = provider.CreateAsyncScope();
            var basket = scope.ServiceProvider.GetRequiredService<Basket>();
            basket.Add("tea");
            Console.WriteLine($"Request {request}: {basket.Count} in the basket.");
        }
    }
}
