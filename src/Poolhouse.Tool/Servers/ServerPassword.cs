using System.Security.Cryptography;

namespace Poolhouse.Tool.Servers;

/// <summary>Passwords for temporary servers, which every account of the machine can reach.</summary>
internal static class ServerPassword
{
    /// <summary>A new password of 128 random bits, in letters and digits that need no quotes anywhere.</summary>
    public static string Create() => RandomNumberGenerator.GetHexString(32, lowercase: true);
}
