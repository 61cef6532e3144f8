namespace Poolhouse.Http.Internal;

/// <summary>The destination of a request, without its path, query and credentials.</summary>
internal readonly record struct Endpoint(string Scheme, string Host, int Port)
{
    /// <summary>The endpoint of an absolute address, as <see cref="Uri"/> normalizes it.</summary>
    public static Endpoint Of(Uri address) => new(address.Scheme, address.IdnHost, address.Port);

    public override string ToString() => string.Create(
        System.Globalization.CultureInfo.InvariantCulture,
        $"{Scheme}://{(Host.Contains(':', StringComparison.Ordinal) ? $"[{Host}]" : Host)}:{Port}");
}
