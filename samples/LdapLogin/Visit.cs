using System.Net.Http.Json;

namespace Poolhouse.Samples.LdapLogin;

/// <summary>Logs in: with the right password, with a wrong one, and as an attacker.</summary>
internal static class Visit
{
    public static async Task RunAsync(Uri app)
    {
        using var client = new HttpClient { BaseAddress = app };
        await LogInAsync(client, "ada", "for ada");
        await LogInAsync(client, "ada", "for bob");
        await LogInAsync(client, "ada", "");
        await LogInAsync(client, "a*", "for ada");
    }

    private static async Task LogInAsync(HttpClient client, string user, string password)
    {
        using var response = await client.PostAsJsonAsync(new Uri("login", UriKind.Relative), new Login(user, password));
        var answer = response.IsSuccessStatusCode ? await response.Content.ReadAsStringAsync() : response.StatusCode.ToString();
        Console.WriteLine($"{user}: {answer}");
    }
}
