using System.Collections.Concurrent;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;
using System.Reflection;

namespace Poolhouse.EntityFrameworkCore.Internal;

/// <summary>
/// The settings of a closed connection before the application's interceptors saw it: connection string, token, callbacks.
/// </summary>
internal sealed class ConnectionSettings
{
    private static readonly ConcurrentDictionary<Type, PropertyInfo[]> _properties = new();

    private readonly DbConnection _connection;
    private readonly object?[] _values;

    private ConnectionSettings(DbConnection connection)
    {
        _connection = connection;
        _values = Array.ConvertAll(PropertiesOf(connection), property => property.GetValue(connection));
    }

    public static ConnectionSettings Of(DbConnection connection) => new(connection);

    /// <summary>Restores the settings that were changed.</summary>
    /// <returns>The name of a setting that was changed, or null.</returns>
    public string? Undo()
    {
        string? changed = null;
        var properties = PropertiesOf(_connection);
        for (var i = 0; i < properties.Length; i++)
        {
            if (!Equals(properties[i].GetValue(_connection), _values[i]))
            {
                properties[i].SetValue(_connection, _values[i]);
                changed ??= properties[i].Name;
            }
        }

        return changed;
    }

    private static PropertyInfo[] PropertiesOf(DbConnection connection) =>
        _properties.GetOrAdd(connection.GetType(), PropertiesOf);

    [UnconditionalSuppressMessage(
        "Trimming", "IL2070", Justification = "A property that was trimmed away is one that no interceptor sets.")]
    private static PropertyInfo[] PropertiesOf(Type type) => Array.FindAll(
        type.GetProperties(BindingFlags.Public | BindingFlags.Instance),
        static property => property is { CanRead: true, SetMethod.IsPublic: true } && property.GetIndexParameters().Length == 0
            && IsOfProvider(property));

    // Without the properties of every component, such as its Site.
    private static bool IsOfProvider(PropertyInfo property) =>
        property.Name is nameof(DbConnection.ConnectionString)
            || (property.DeclaringType is { } type && type != typeof(System.ComponentModel.Component));
}
