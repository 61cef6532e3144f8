using System.Net;
using System.Security.Cryptography;
using Grpc.Net.Client;
using MailKit.Net.Smtp;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Logging;
using Microsoft.Playwright;
using MimeKit;
using Poolhouse;
using Poolhouse.Samples.Recipes;
using Poolhouse.Samples.SmtpPool;
using Renci.SshNet;
using StackExchange.Redis;

switch (args is [var recipe] ? recipe : "")
{
    case "mail":
        await MailAsync();
        break;
    case "ssh":
        await SshAsync();
        break;
    case "redis":
        await RedisAsync();
        break;
    case "quota":
        await QuotaAsync();
        break;
    case "grpc":
        await GrpcAsync();
        break;
    case "browser":
        await BrowserAsync();
        break;
    default:
        Console.WriteLine("Which recipe? mail, ssh, redis, quota, grpc, browser");
        break;
}

static async Task MailAsync()
{
    using var server = new SmtpServer();
    await using var pool = new ResourcePool<SmtpClient>(
        new MailPolicy("127.0.0.1", server.EndPoint.Port), new ResourcePoolOptions { MaxSize = 2, Name = "mail" });
    await Task.WhenAll(Enumerable.Range(1, 6).Select(number => SendAsync($"user{number}@example.org")));
    try
    {
        await SendAsync("nobody@example.org");
    }
    catch (SmtpCommandException refused)
    {
        Console.WriteLine($"Refused: {refused.StatusCode}.");
    }

    await SendAsync("user7@example.org");
    Console.WriteLine($"{server.Mails.Count} mails over at most 2 sessions: {pool.GetStatistics().Created <= 2}.");

    async Task SendAsync(string address)
    {
        using var mail = new MimeMessage();
        mail.From.Add(MailboxAddress.Parse("pool@example.org"));
        mail.To.Add(MailboxAddress.Parse(address));
        mail.Body = new TextPart("plain") { Text = "Hello." };

        // snippet: mail-use
        await pool.UseAsync(async (client, token) => await client.SendAsync(mail, token));
        // end snippet
    }
}

static async Task SshAsync()
{
    if (Server.Find("sshd") is not { } sshd || Server.Find("ssh-keygen") is not { } keygen)
    {
        Console.WriteLine("sshd is not installed.");
        return;
    }

    using var server = new Server();
    var (hostKey, userKey) = (Path.Combine(server.Folder, "host"), Path.Combine(server.Folder, "user"));
    Server.Run(keygen, "-q", "-t", "ed25519", "-N", "", "-f", hostKey);
    Server.Run(keygen, "-q", "-t", "ed25519", "-N", "", "-f", userKey);
    if (Environment.IsPrivilegedProcess)
    {
        Directory.CreateDirectory("/run/sshd"); // sshd then insists on this empty folder
    }

    await server.ListenAsync(
        sshd, "-D", "-f", "/dev/null", "-p", $"{server.Port}", "-h", hostKey, "-o", "ListenAddress=127.0.0.1", "-o", "PidFile=none",
        "-o", $"AuthorizedKeysFile={userKey}.pub", "-o", "StrictModes=no", "-o", "UsePAM=no");
    using var key = new PrivateKeyFile(userKey);
    ConnectionInfo Connection() =>
        new("127.0.0.1", server.Port, Environment.UserName, new PrivateKeyAuthenticationMethod(Environment.UserName, key));

    var parts = (await File.ReadAllTextAsync($"{hostKey}.pub")).Split(' ');
    var fingerprint = Convert.ToBase64String(SHA256.HashData(Convert.FromBase64String(parts[1]))).TrimEnd('=');
    await using var pool = new ResourcePool<SshClient>(
        new SshPolicy(Connection, fingerprint), new ResourcePoolOptions { MaxSize = 2, Name = "ssh" });
    var answers = await Task.WhenAll(Enumerable.Range(1, 6).Select(number => RunAsync($"echo {number}")));
    Console.WriteLine($"{string.Concat(answers)} over at most 2 connections: {pool.GetStatistics().Created <= 2}.");

    async Task<string> RunAsync(string text)
    {
        // snippet: ssh-use
        await using var lease = await pool.RentAsync();
        using var command = lease.Value.CreateCommand(text);
        await command.ExecuteAsync();
        // end snippet
        return command.Result.Trim();
    }
}

static async Task RedisAsync()
{
    if (Server.Find("redis-server") is not { } program)
    {
        Console.WriteLine("redis-server is not installed.");
        return;
    }

    using var server = new Server();
    await server.ListenAsync(program, "--port", $"{server.Port}", "--bind", "127.0.0.1", "--save", "", "--dir", server.Folder);
    var options = ConfigurationOptions.Parse($"127.0.0.1:{server.Port}");

    // snippet: redis-pool
    await using var pool = new SharedResourcePool<ConnectionMultiplexer>(
        new RedisPolicy(options),
        new SharedResourcePoolOptions
        {
            Pool = new ResourcePoolOptions { MaxSize = 3, Name = "redis", KeepAliveInterval = TimeSpan.FromSeconds(10) },
            MaxUsesPerItem = 1_000,
            MaxActive = 2,
        });
    // end snippet
    await Task.WhenAll(Enumerable.Range(1, 100).Select(_ => AddAsync()));
    Console.WriteLine($"{await AddAsync()} over at most 2 multiplexers: {pool.GetStatistics().Items.Created <= 2}.");

    async Task<long> AddAsync()
    {
        // snippet: redis-use
        await using var lease = await pool.RentAsync();
        return await lease.Value.GetDatabase().StringIncrementAsync("visits");
        // end snippet
    }
}

static async Task QuotaAsync()
{
    if (Server.Find("redis-server") is not { } program)
    {
        Console.WriteLine("redis-server is not installed.");
        return;
    }

    using var server = new Server();
    await server.ListenAsync(program, "--port", $"{server.Port}", "--bind", "127.0.0.1", "--save", "", "--dir", server.Folder);
    await using var connection = await ConnectionMultiplexer.ConnectAsync($"127.0.0.1:{server.Port}");
    var redis = connection.GetDatabase();
    var sockets = new SocketCount();

    // Three processes would have one pool each.
    var pools = Enumerable.Range(0, 3).Select(_ => NewPool()).ToList();
    using var stop = new CancellationTokenSource(TimeSpan.FromSeconds(30));
    var callers = pools.SelectMany(pool => Enumerable.Range(0, 9).Select(_ => CallAsync(pool))).ToList();
    while (pools.Exists(pool => pool.GetStatistics().Live != 3) && !stop.IsCancellationRequested)
    {
        await Task.Delay(TimeSpan.FromMilliseconds(50));
    }

    Console.WriteLine($"{string.Join(" + ", pools.Select(pool => pool.GetStatistics().Live))}, at most 9: {sockets.Most <= 9}.");
    await stop.CancelAsync();
    await Task.WhenAll(callers);
    foreach (var pool in pools)
    {
        await pool.DisposeAsync();
    }

    ResourcePool<SocketCount.Socket> NewPool()
    {
        // snippet: redis-quota
        var options = new ResourcePoolOptions { MaxSize = 9, Name = "directory" };
        options.Budget = new RedisQuota(redis, "directory", places: 9);
        // end snippet
        return ResourcePool.Create(_ => new ValueTask<SocketCount.Socket>(sockets.Open()), options);
    }

    async Task CallAsync(ResourcePool<SocketCount.Socket> pool)
    {
        while (!stop.IsCancellationRequested)
        {
            try
            {
                await using var lease = await pool.RentAsync(stop.Token);
                await Task.Delay(TimeSpan.FromMilliseconds(5), stop.Token);
            }
            catch (OperationCanceledException)
            {
                return;
            }
        }
    }
}

static async Task GrpcAsync()
{
    var builder = WebApplication.CreateBuilder();
    builder.Logging.ClearProviders();
    builder.WebHost.ConfigureKestrel(
        kestrel => kestrel.Listen(IPAddress.Loopback, 0, listen => listen.Protocols = HttpProtocols.Http2));
    await using var app = builder.Build();
    app.MapPost("/echo/Say", Echo.AnswerAsync);
    await app.StartAsync();
    var address = app.Urls.First();

    // snippet: grpc-pool
    await using var pool = new SharedResourcePool<GrpcChannel>(
        new GrpcPolicy(new Uri(address)),
        new SharedResourcePoolOptions
        {
            Pool = new ResourcePoolOptions { MaxSize = 4, Name = "grpc", MinIdle = 1 },
            MaxUsesPerItem = 100, // what most servers allow on one HTTP/2 connection
        });
    // end snippet
    var answers = await Task.WhenAll(Enumerable.Range(1, 50).Select(number => SayAsync((byte)number)));
    Console.WriteLine($"{answers.Sum(answer => answer[0])} over at most 4 channels: {pool.GetStatistics().Items.Created <= 4}.");
    await app.StopAsync();

    async Task<byte[]> SayAsync(byte number)
    {
        // snippet: grpc-use
        await using var lease = await pool.RentAsync(); // until the call has ended
        var client = new Echo.Client(lease.Value);
        return await client.SayAsync([number]);
        // end snippet
    }
}

static async Task BrowserAsync()
{
    if (Server.Find("chromium") is not { } chromium)
    {
        Console.WriteLine("chromium is not installed.");
        return;
    }

    using var playwright = await Playwright.CreateAsync();
    var options = new BrowserTypeLaunchOptions { ExecutablePath = chromium, Args = ["--no-sandbox"] };

    // snippet: browser-pool
    await using var pool = new NestedResourcePool<IBrowser, IPage>(
        new BrowserPolicy(playwright.Chromium, options),
        new PagePolicy(),
        new NestedResourcePoolOptions
        {
            // The memory of a browser grows: it is replaced every half hour.
            ParentPool = new ResourcePoolOptions { MaxSize = 2, MaxLifetime = TimeSpan.FromMinutes(30) },
            ChildPool = new ResourcePoolOptions { MaxSize = 4, Name = "pages" },
            MaxChildrenPerParent = 4,
            MaxActiveParents = 1,
        });
    // end snippet
    var titles = await Task.WhenAll(Enumerable.Range(1, 3).Select(number => TitleAsync($"<title>{number}</title>")));
    Console.WriteLine($"{string.Concat(titles)} in 1 browser: {pool.GetParentStatistics().Created == 1}.");

    async Task<string> TitleAsync(string html)
    {
        // snippet: browser-use
        await using var lease = await pool.RentAsync();
        await lease.Value.SetContentAsync(html);
        return await lease.Value.TitleAsync();
        // end snippet
    }
}
