using System.Reflection;
using System.Text.Json;
using System.Text.Json.Nodes;
using Poolhouse.Data;
using Poolhouse.Data.Extensions;
using Poolhouse.Extensions.Configuration;
using Poolhouse.Http;
using Poolhouse.Http.Extensions;
using Poolhouse.Ldap;
using Poolhouse.Ldap.Extensions;
using Poolhouse.TestSupport;
using Poolhouse.Workers;

namespace Poolhouse.Extensions.Tests.Configuration;

/// <summary>The tables of settings are complete, and the JSON schema is generated from them.</summary>
public sealed class SettingKeys
{
    private const string AcceptVariable = "POOLHOUSE_ACCEPT_SCHEMA";

    private static readonly JsonSerializerOptions _indented = new() { WriteIndented = true };

    // Objects that only code can provide; the name is that of the registration.
    private static readonly string[] _codeOnly =
        ["Name", "TimeProvider", "Meter", "MeterFactory", "Reporter", "Observer", "MemoryPressure", "KeyComparer", "Lanes",
            "Reset", "Errors", "Profile", "Credentials", "Initialize", "Password", "VerifyServerCertificate", "Configure", "Budget"];

    private static readonly (string Section, Type Options, IReadOnlyList<SettingDescription> Settings)[] _maps =
    [
        ("ResourcePool", typeof(ResourcePoolOptions), CoreSettings.Resource.Describe()),
        ("KeyedPool", typeof(KeyedResourcePoolOptions<string>), CoreSettings.Keyed<string>().Describe()),
        ("SharedPool", typeof(SharedResourcePoolOptions), CoreSettings.Shared.Describe()),
        ("NestedPool", typeof(NestedResourcePoolOptions), CoreSettings.Nested.Describe()),
        ("WorkerPool", typeof(WorkerPoolOptions), CoreSettings.Worker.Describe()),
        ("DataSource", typeof(DbPoolOptions), DataSettings.Map.Describe()),
        ("Bulkhead", typeof(BulkheadOptions), BulkheadSettings.Map.Describe()),
        ("LdapPool", typeof(LdapPoolOptions), LdapSettings.Map.Describe()),
        ("ObjectPool", typeof(ObjectPoolOptions), CoreSettings.Objects.Describe()),
    ];

    public static TheoryData<string> Sections => [.. _maps.Select(map => map.Section)];

    [Theory]
    [MemberData(nameof(Sections))]
    public void Every_settable_property_has_a_key(string section)
    {
        var (_, options, settings) = _maps.Single(map => string.Equals(map.Section, section, StringComparison.Ordinal));
        var properties = options.GetProperties(BindingFlags.Public | BindingFlags.Instance)
            .Where(property => property.SetMethod is { IsPublic: true })
            .Select(property => property.Name)
            .Except(_codeOnly, StringComparer.Ordinal);

        Assert.Equal(properties.Order(StringComparer.Ordinal), settings.Select(each => each.Key).Order(StringComparer.Ordinal));
    }

    [Fact]
    public void The_schema_file_is_generated_from_the_settings()
    {
        var path = Checkout.PathOf("src", "Poolhouse.Extensions", "ConfigurationSchema.json");
        var schema = Generate().ToJsonString(_indented).ReplaceLineEndings("\n") + "\n";
        if (string.Equals(Environment.GetEnvironmentVariable(AcceptVariable), "1", StringComparison.Ordinal))
        {
            File.WriteAllText(path, schema);
        }

        Assert.True(
            string.Equals(schema, File.ReadAllText(path).ReplaceLineEndings("\n"), StringComparison.Ordinal),
            $"ConfigurationSchema.json is not what the settings say. Run this test once with {AcceptVariable}=1 and commit the " +
            "file.");
    }

    // A pool may be of any kind, so a section may have the keys of any of them.
    private static JsonObject Generate() => new()
    {
        ["type"] = "object",
        ["properties"] = new JsonObject
        {
            ["Poolhouse"] = new JsonObject
            {
                ["type"] = "object",
                ["description"] = "The settings of Poolhouse's pools, by name.",
                ["additionalProperties"] =
                    new JsonObject { ["anyOf"] = new JsonArray([.. _maps.Select(map => Section(map.Settings))]) },
            },
        },
    };

    private static JsonObject Section(IReadOnlyList<SettingDescription> settings)
    {
        var properties = new JsonObject();
        foreach (var setting in settings)
        {
            properties[setting.Key] = Schema(setting);
        }

        return new JsonObject { ["type"] = "object", ["properties"] = properties, ["additionalProperties"] = false };
    }

    private static JsonObject Schema(SettingDescription setting)
    {
        var value = setting.Kind switch
        {
            SettingKind.Integer => new JsonObject { ["type"] = "integer" },
            SettingKind.Number => new JsonObject { ["type"] = "number" },
            SettingKind.Boolean => new JsonObject { ["type"] = "boolean" },
            SettingKind.List => new JsonObject
            {
                ["anyOf"] = new JsonArray(
                    new JsonObject { ["type"] = "array", ["items"] = new JsonObject { ["type"] = "string" } },
                    new JsonObject { ["type"] = "string" }),
            },
            SettingKind.Text => new JsonObject { ["type"] = "string" },
            SettingKind.Choice =>
                new JsonObject { ["enum"] = new JsonArray([.. setting.Choices.Select(choice => JsonValue.Create(choice))]) },
            SettingKind.Duration => new JsonObject
            {
                ["type"] = "string",
                ["pattern"] = @"^(\d+\.)?\d{1,2}:\d{2}:\d{2}(\.\d{1,7})?$",
                ["description"] = "hh:mm:ss, d.hh:mm:ss, or none",
            },
            _ => Section(setting.Inner),
        };
        return setting.AllowsNone && setting.Kind != SettingKind.Text
            ? new JsonObject { ["anyOf"] = new JsonArray(value, new JsonObject { ["const"] = "none" }) }
            : value;
    }
}
