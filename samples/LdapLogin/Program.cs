using Poolhouse.Ldap;
using Poolhouse.Samples.LdapLogin;
using Poolhouse.Samples.PoolTests;

// With --serve the app runs until Ctrl+C. Without, it visits itself once.
var serves = args.Contains("--serve", StringComparer.Ordinal);
var builder = WebApplication.CreateBuilder([.. args.Except(["--serve"], StringComparer.Ordinal)]);
builder.Logging.SetMinimumLevel(LogLevel.Warning);
builder.WebHost.UseUrls("http://127.0.0.1:0");

var configured = builder.Configuration.GetConnectionString("Directory");
if (configured is null && Slapd.Missing is { } missing)
{
    Console.WriteLine($"No directory: {missing}. Name one: --ConnectionStrings:Directory 'Server=…'.");
    return;
}

using var office = configured is null ? new Office() : null;
var connectionString = configured ?? office!.ConnectionString;

// snippet: ldap-options
var options = LdapPoolOptions.Parse(connectionString);
options.Pool.Name = "directory";
options.Pool.MaxSize = 10;
options.Pool.KeepAliveInterval = TimeSpan.FromMinutes(5);
options.Retries = LdapRetries.Reads;
builder.Services.AddSingleton(_ => new LdapConnectionPool(options));
// end snippet
builder.Services.AddSingleton(new People(builder.Configuration["Base"] ?? Office.Base));

var app = builder.Build();
await using (app)
{
    // snippet: ldap-login
    app.MapPost("/login", async (Login login, People people, LdapConnectionPool pool, CancellationToken cancellation) =>
        await people.FindAsync(pool, login.User, cancellation) is { } name
            && await pool.AuthenticateAsync(name, login.Password, cancellation)
            ? Results.Ok(new Welcome(name, await people.GroupsOfAsync(pool, name, cancellation)))
            : Results.Unauthorized());
    // end snippet

    await app.StartAsync();
    if (serves)
    {
        Console.WriteLine($"Listening on {app.Urls.First()}");
        await app.WaitForShutdownAsync();
        return;
    }

    await Visit.RunAsync(new Uri(app.Urls.First()));
    var pool = app.Services.GetRequiredService<LdapConnectionPool>();

    // snippet: ldap-statistics
    var (operations, checks) = (pool.GetStatistics(), pool.GetVerifyStatistics());
    Console.WriteLine(
        $"{operations.Rented} operations over {operations.Created} connection, {checks.Rented} passwords over {checks.Created}.");
    // end snippet
    Console.WriteLine($"The service is {await pool.WhoAmIAsync()}.");
    await app.StopAsync();
}
