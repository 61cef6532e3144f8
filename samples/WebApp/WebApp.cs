using System.Text;
using Microsoft.AspNetCore.Antiforgery;
using Microsoft.AspNetCore.DataProtection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.ObjectPool;

namespace Poolhouse.Samples;

/// <summary>
/// An ordinary app: it uses ObjectPool, ObjectPoolProvider and IResettable; one line chooses the implementation.
/// </summary>
public static class WebApp
{
    /// <summary>Builds the app: <c>--Poolhouse=false</c> for the pools of .NET, <c>--urls</c> to say where it listens.</summary>
    public static WebApplication Build(params string[] args)
    {
        var builder = WebApplication.CreateSlimBuilder(args);
        builder.Logging.ClearProviders();
        builder.WebHost.UseSetting(WebHostDefaults.ServerUrlsKey, builder.Configuration["urls"] ?? "http://127.0.0.1:0");

        if (builder.Configuration.GetValue("Poolhouse", defaultValue: true))
        {
            // snippet: aspnetcore
            builder.Services.AddSingleton<ObjectPoolProvider>(new TieredObjectPoolProvider());
            // end snippet
        }

        AddOrdinaryServices(builder.Services);

        var app = builder.Build();
        app.MapGet("/count", (int to, ObjectPool<StringBuilder> texts, DirtyItems dirty) => Count(to, texts, dirty));
        app.MapGet("/sum", (int[] n, ObjectPool<Sheet> sheets, DirtyItems dirty) => Sum(n, sheets, dirty));
        app.MapGet("/greet/{name}", (string name, Greeter greeter) => greeter.Greet(name));
        app.MapGet("/token", (IAntiforgery tokens, HttpContext http) => tokens.GetTokens(http).RequestToken is not null);
        app.MapGet("/pools", ShowPools);
        return app;
    }

    // What an app and the framework do today, with no word of Poolhouse in it.
    private static void AddOrdinaryServices(IServiceCollection services)
    {
        // snippet: aspnetcore-pools
        services.TryAddSingleton<ObjectPoolProvider, DefaultObjectPoolProvider>();
        services.AddSingleton(services => services.GetRequiredService<ObjectPoolProvider>().CreateStringBuilderPool());
        services.AddSingleton(services => services.GetRequiredService<ObjectPoolProvider>().Create<Sheet>());
        services.AddSingleton<Greeter>(); // takes the ObjectPoolProvider in its constructor
        // end snippet
        services.AddSingleton<DirtyItems>();

        // A part of ASP.NET Core that pools through the ObjectPoolProvider of the app.
        services.AddDataProtection().UseEphemeralDataProtectionProvider();
        services.AddAntiforgery();
    }

    private static string Count(int to, ObjectPool<StringBuilder> texts, DirtyItems dirty)
    {
        // snippet: aspnetcore-endpoint
        var text = texts.Get();
        try
        {
            dirty.CountIf(text.Length > 0);
            for (var i = 1; i <= to; i++)
            {
                text.Append(i).Append(' ');
            }

            return text.ToString();
        }
        finally
        {
            texts.Return(text);
        }
        // end snippet
    }

    private static long Sum(int[] numbers, ObjectPool<Sheet> sheets, DirtyItems dirty)
    {
        var sheet = sheets.Get();
        try
        {
            dirty.CountIf(sheet.Total != 0);
            foreach (var number in numbers)
            {
                sheet.Add(number);
            }

            return sheet.Total;
        }
        finally
        {
            sheets.Return(sheet);
        }
    }

    private static PoolReport ShowPools(
        ObjectPool<StringBuilder> texts, ObjectPool<Sheet> sheets, Greeter greeter, DirtyItems dirty)
    {
        // snippet: aspnetcore-statistics
        // A pool created by Poolhouse is also an IPool; one created by .NET has no statistics.
        object[] pools = [texts, sheets, greeter.Texts];
        var ours = pools.OfType<IPool>().Select(pool => new PoolLine(pool.Name, (CachePoolStatistics)pool.GetStatistics()));
        return new PoolReport(dirty.Count, [.. ours]);
        // end snippet
    }
}
